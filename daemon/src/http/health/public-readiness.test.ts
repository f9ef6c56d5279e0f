import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import type { Finding } from '../../core/finding.ts';
import { PublicReadiness } from './public-readiness.ts';
import { Readiness } from './readiness.ts';
import { SupervisedPrograms } from './supervised-programs.ts';

let directory: string;
let file: string;
const servers: Server[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'program-states-'));
  file = join(directory, 'states');
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  await rm(directory, { recursive: true });
});

/** A server with that status, on a unix socket or a port. */
async function listening(status: number, socket?: string): Promise<string> {
  const server = createServer((_req, res) => void res.writeHead(status).end());
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(socket ?? { host: '127.0.0.1', port: 0 }, resolve));
  return socket === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}/x` : `unix:${socket}:/x`;
}

test('[health.programs] a program that does not run is named, one that starts is not', async () => {
  await writeFile(file, 'keeper RUNNING 7\ndaemon STARTING 8\npanel BACKOFF 0\ndesktop UNKNOWN 0\n');
  const programs = new SupervisedPrograms(file);
  expect(await programs.faults()).toEqual(['panel is BACKOFF', 'desktop is UNKNOWN']);
});

test('[health.programs] a program that has answered must go on answering; a new process has time again', async () => {
  const port = await listening(200);
  const socket = await listening(200, join(directory, 'socket'));
  const states = (pid: number): Promise<void> =>
    writeFile(file, `chromium RUNNING ${pid} ${port}\njupyter RUNNING ${pid} ${socket}\n`);
  await states(1);
  const programs = new SupervisedPrograms(file);
  expect(await programs.faults()).toEqual([]);
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  expect(await programs.faults()).toEqual(['chromium does not answer', 'jupyter does not answer']);
  await states(2);
  expect(await programs.faults()).toEqual([]);
});

test('[health.programs] an error is no answer, and without the file nothing is known', async () => {
  await writeFile(file, `chromium RUNNING 1 ${await listening(500)}\n`);
  expect(await new SupervisedPrograms(file).faults()).toEqual([]);
  expect(await new SupervisedPrograms(join(directory, 'gone')).faults()).toEqual([
    `${join(directory, 'gone')} cannot be read`,
  ]);
  expect(await new SupervisedPrograms(undefined).faults()).toEqual([]);
});

test('[health.ready] GET /health?ready needs no key, names no reason, and logs each change once', async () => {
  await writeFile(file, 'keeper RUNNING 7\n');
  await using daemon = await TestApp.start({ apiKey: 'key-of-health', programStates: file, logLevel: 'info' });
  const health = async (query: string): Promise<readonly [number, unknown]> => {
    const answer = await daemon.inject(`/health${query}`);
    return [answer.statusCode, answer.json()];
  };
  expect(await health('?ready')).toEqual([200, expect.objectContaining({ status: 'healthy' })]);
  expect(await health('?ready=true')).toEqual([200, expect.anything()]);
  await writeFile(file, 'keeper EXITED 0\n');
  await expect.poll(async () => (await health('?ready'))[0]).toBe(503);
  const [, refusal] = await health('?ready=1');
  expect(refusal).toMatchObject({ success: false, message: 'the sandbox is not ready', data: null });
  expect(JSON.stringify(refusal)).not.toContain('keeper');
  expect((await health('?ready=false'))[0]).toBe(200);
  expect((await health(''))[0]).toBe(200);
  await writeFile(file, 'keeper RUNNING 8\n');
  await expect.poll(async () => (await health('?ready'))[0]).toBe(200);
  const lines = daemon.log.map((line) => JSON.parse(line) as { readonly level: string; readonly msg: string });
  const said = lines.filter(({ msg }) => msg.includes('ready'));
  expect(said.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    'warn not ready: keeper is EXITED',
    'info ready again',
  ]);
});

test('[health.ready] another value of ready is refused with the ones that there are', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject('/health?ready=perhaps');
  expect([answer.statusCode, answer.json().message]).toEqual([422, expect.stringContaining('?ready=true')]);
});

test('[health.cheap] callers share a run of the probes, also those that come soon after it', async () => {
  let runs = 0;
  const probe = async (): Promise<Finding> => {
    runs += 1;
    return { name: 'command', ok: false, detail: 'fails' };
  };
  const quiet = { info: () => undefined, warn: () => undefined };
  const readiness = new PublicReadiness(new Readiness([probe]), new SupervisedPrograms(undefined), quiet);
  const answers = await Promise.all(Array.from({ length: 100 }, () => readiness.isReady()));
  expect([new Set(answers), await readiness.isReady(), runs]).toEqual([new Set([false]), false, 1]);
});
