import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { CellEvent } from '../../capabilities/code/wire/events.ts';
import { CommandEvent } from '../../capabilities/commands/wire/events.ts';
import { DocumentUnderTest } from './document.fixture.ts';
import { isReference, operationsOf } from './document.ts';

const ACCEPT = { accept: 'application/x-ndjson' };

function linesOf(body: string): { type: string }[] {
  return body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('[openapi.events] the lines of a command have the schema of its events', async () => {
  await using daemon = await TestApp.start();
  const command = 'echo out; echo err >&2; printf "\\377\\376\\000"';
  const lines = linesOf((await daemon.post('/v2/commands', { command }, ACCEPT)).body);
  for (const line of lines) expect([line, CommandEvent.safeParse(line).error]).toEqual([line, undefined]);
  expect(new Set(lines.map(({ type }) => type))).toEqual(new Set(['started', 'stdout', 'stderr', 'exit']));
  const document = await DocumentUnderTest.read(daemon, 'v2');
  for (const line of lines) expect(document.matches({ $ref: '#/components/schemas/CommandEvent' }, line)).toBe(true);
  expect(document.matches({ $ref: '#/components/schemas/CommandEvent' }, { type: 'other' })).toBe(false);
});

test('[openapi.events] the lines of a cell have the schema of its events', async () => {
  await using daemon = await TestApp.start();
  const cell = { language: 'bash', code: 'echo out; exit 3' };
  const lines = linesOf((await daemon.post('/v2/code/execute', cell, ACCEPT)).body);
  const document = await DocumentUnderTest.read(daemon, 'v2');
  for (const line of lines) {
    expect([line, document.matches({ $ref: '#/components/schemas/CellEvent' }, line)]).toEqual([line, true]);
  }
  expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(['execution', 'output', 'result']));
  expect(CellEvent.safeParse({ type: 'other' }).success).toBe(false);
});

test('[openapi.events] every stream of v2 names the schema of its events, and every union what tells them apart', async () => {
  await using daemon = await TestApp.start();
  const { document } = await DocumentUnderTest.read(daemon, 'v2');
  const streams = operationsOf(document).flatMap(({ path, operation }) =>
    Object.entries(Object(operation.responses['200']).content ?? {})
      .filter(([type]) => /ndjson|event-stream/.test(type))
      .map(([type, media]) => [path, type, Object(media).schema?.$ref?.split('/').at(-1)]),
  );
  expect(streams).toEqual([
    ['/v2/timeline', 'application/x-ndjson', 'TimelineStreamEvent'],
    ['/v2/timeline', 'text/event-stream', 'TimelineStreamEvent'],
    ['/v2/checkpoints/{checkpoint_id}/diff', 'application/x-ndjson', 'CheckpointDiffEvent'],
    ['/v2/commands', 'application/x-ndjson', 'CommandEvent'],
    ['/v2/commands', 'text/event-stream', 'CommandEvent'],
    ['/v2/commands/{command_id}', 'application/x-ndjson', 'CommandEvent'],
    ['/v2/commands/{command_id}', 'text/event-stream', 'CommandEvent'],
    ['/v2/code/execute', 'application/x-ndjson', 'CellEvent'],
    ['/v2/code/executions/{execution_id}', 'application/x-ndjson', 'CellEvent'],
    ['/v2/watch/{watcher_id}/events', 'text/event-stream', 'WatchStreamEvent'],
  ]);
  const { NotebookOutput, CommandEvent: events, CellEvent: cells } = document.components.schemas;
  expect([NotebookOutput, events, cells].map((schema) => Object(schema?.['discriminator']).propertyName)).toEqual([
    'output_type',
    'type',
    'type',
  ]);
});

test('[openapi.generators] no field of a request has a default that generators make required, and flags are booleans', async () => {
  await using daemon = await TestApp.start();
  const { document } = await DocumentUnderTest.read(daemon, 'v2');
  const bodies = operationsOf(document).map(({ operation }) => operation.requestBody?.content['application/json']);
  const inputs = Object.entries(document.components.schemas).filter(([name]) => name.endsWith('Input'));
  expect(JSON.stringify([bodies, inputs])).not.toContain('"default":');
  const flags = operationsOf(document).flatMap(({ operation }) =>
    (operation.parameters ?? []).filter(({ schema }) => JSON.stringify(schema).includes('boolean')),
  );
  expect(flags.length).toBeGreaterThan(10);
  for (const { name, schema } of flags) expect([name, schema.type]).toEqual([name, 'boolean']);
});

test('[openapi.bytes] each answer of a media type that generators do not know is offered as bytes too', async () => {
  await using daemon = await TestApp.start();
  const known = /^(?:text\/|application\/(?:json|x-ndjson|octet-stream)$)/;
  for (const surface of ['v1', 'v2'] as const) {
    const { document } = await DocumentUnderTest.read(daemon, surface);
    const answers = operationsOf(document).map(({ operation: { responses } }) => {
      const answer = responses['200'];
      return answer === undefined || isReference(answer) ? [] : Object.keys(answer.content ?? {});
    });
    const foreign = answers.filter((types) => types.some((type) => !known.test(type)));
    expect(foreign.length).toBeGreaterThan(1);
    for (const types of foreign) expect(types).toContain('application/octet-stream');
  }
});

test('[openapi.bytes] a client that accepts bytes alone receives files, archives and pictures as such', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bytes-'));
  await using daemon = await TestApp.start();
  try {
    writeFileSync(join(directory, 'a.html'), '<p>');
    const type = async (url: string, accept?: string) =>
      (await daemon.inject({ url, headers: accept === undefined ? {} : { accept } })).headers['content-type'];
    const bytes = 'application/octet-stream';
    expect(await type(`/v2/fs/download?path=${directory}/a.html`)).toContain('text/html');
    expect(await type(`/v2/fs/download?path=${directory}/a.html`, bytes)).toBe(bytes);
    expect(await type(`/v2/fs/tree?path=${directory}`, bytes)).toBe(bytes);
    expect(await type(`/v2/fs/tree?path=${directory}`)).toBe('application/x-tar');
    expect(await type('/v2/fs/download?path=/no/such', bytes)).toContain('application/json');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
