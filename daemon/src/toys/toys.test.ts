import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { describeOptions } from '@sandbox/program/options.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';
import { openCore } from '../app.ts';
import { CAPABILITIES } from '../capabilities/index.ts';
import { type Config, optionsOf, readConfig } from '../config.ts';
import { examine } from '../core/doctor.ts';
import { DaemonProcess } from '../daemon-process.fixture.ts';
import { describeOnHosts } from '../hosts.fixture.ts';
import { MountedCapabilities } from '../mount.ts';
import { WITH_TOYS } from './capabilities.fixture.ts';
import { notes } from './notes/index.fixture.ts';
import { quotes } from './quotes/index.fixture.ts';

const KEY = 'key-of-toys';
const MAIN = join(import.meta.dirname, 'main.fixture.ts');

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sandboxd-toys-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function config(argv: readonly string[] = []): Config {
  return readConfig(argv, { SVC_RUNTIME_DIR: directory }, optionsOf(WITH_TOYS));
}

test('their options are read, checked and described with all others', () => {
  expect(config()).toMatchObject({ notesMax: 2, host: '127.0.0.1', shellMaxSessions: 20 });
  expect(config(['--toy-notes-max=7'])).toMatchObject({ notesMax: 7 });
  expect(() => config(['--toy-notes-max=11'])).toThrow('TOY_NOTES_MAX (--toy-notes-max): expected a whole number');
  expect(describeOptions(optionsOf(WITH_TOYS)).map(({ env }) => env)).toContain('TOY_NOTES_MAX');
  expect(() => optionsOf([notes, notes])).toThrow('the option notesMax of notes exists already');
});

test('doctor examines what they require', async () => {
  const checks = await examine(
    config(),
    WITH_TOYS.flatMap(({ requires }) => requires),
  );
  expect(checks).toContainEqual({
    name: 'the shell of notes',
    ok: false,
    required: false,
    detail: 'no no-such-shell on PATH',
    hint: 'there is none',
  });
});

describeOnHosts('mounted', () => {
  test('they serve their routes on each surface, with their ceiling, port and probe', async () => {
    await using daemon = await TestApp.start(config(), undefined, WITH_TOYS);
    const texts = ['one', 'two'];
    for (const text of texts) expect((await daemon.post('/v2/notes', { text })).statusCode).toBe(200);
    const full = await daemon.post('/v2/notes', { text: 'three' });
    expect(full.statusCode).toBe(429);
    expect(full.json()).toMatchObject({
      message: '2 notes are open, the ceiling is 2',
      hint: 'remove one',
      data: { holders: [{ note_id: expect.any(String) }, { note_id: expect.any(String) }] },
    });
    expect((await daemon.post('/v1/note/list')).json().data).toEqual(['“one”', '“two”']);
    for (const surface of ['v1', 'v2']) expect((await daemon.inject(`/${surface}/notes-count`)).json().data).toBe(2);
    const ready = await daemon.inject('/ready');
    expect(ready.json().data.checks).toContainEqual({ name: 'notes', ok: true, detail: '2 notes' });
  });

  test('without the capability that provides the port, what uses it does without', async () => {
    await using daemon = await TestApp.start(config(), undefined, [...CAPABILITIES, notes]);
    await daemon.post('/v2/notes', { text: 'one' });
    expect((await daemon.post('/v1/note/list')).json().data).toEqual(['one']);
  });

  test('the gate lets their public paths through and no other', async () => {
    await using daemon = await TestApp.start({ ...config(), apiKey: KEY }, undefined, WITH_TOYS);
    expect((await daemon.inject('/v2/notes/about')).statusCode).toBe(200);
    expect((await daemon.inject('/v2/notes')).statusCode).toBe(401);
  });

  test('a link to their page gives a cookie for the page and what it opens', async () => {
    await using daemon = await TestApp.start({ ...config(), apiKey: KEY }, undefined, WITH_TOYS);
    const asked = { 'x-original-uri': `/toy?api_key=${KEY}`, accept: 'text/html' };
    const opened = await daemon.inject({ url: '/internal/auth', headers: asked });
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    expect((await daemon.inject({ url: '/v2/notes', headers: { cookie } })).statusCode).toBe(200);
    expect((await daemon.inject({ url: '/v2/commands', headers: { cookie } })).statusCode).toBe(401);
  });
});

test('their tool is one, and each of its actions is served by the capability that contributed it', async () => {
  const core = await openCore(config(), createLogger('toys', 'silent'));
  await using _runtime = core.runtime;
  await using _processes = core.processes;
  await using mounted = await MountedCapabilities.create([notes, quotes], core, config());
  const [tool, ...more] = mounted.tools;
  expect(more).toEqual([]);
  const context = { gone: new AbortController().signal };
  expect(await tool?.call({ action: 'list' }, context)).toEqual({});
  expect(await tool?.call({ action: 'quote', text: 'two' }, context)).toBe('“two”');
});

describe('processes that outlive the daemon', () => {
  test.runIf(process.platform === 'linux')('are found by their owner after the daemon was killed', async () => {
    const first = await DaemonProcess.start(directory, {}, MAIN);
    const { note_id } = await first.data('/v2/notes', { text: 'kept' });
    expect(await first.data('/v2/notes')).toEqual({ [note_id]: '“kept”' });
    const { command_id } = await first.data('/v2/commands', { command: 'sleep 600', mode: 'async' });
    await first.stop('SIGKILL');
    await using second = await DaemonProcess.start(directory, {}, MAIN);
    expect(await second.data('/v2/notes')).toEqual({ [note_id]: '“kept”' });
    const { commands } = await second.data('/v2/commands');
    expect(commands).toMatchObject([{ command_id, status: 'running' }]);
  });
});
