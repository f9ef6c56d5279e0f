import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { urlOf } from './serve/ports.ts';
import { alive } from './testing/alive.ts';
import { fixtureService, Launcher } from './testing/launcher.ts';
import { tempDir } from './testing/temp-dir.ts';

function pids(events: readonly string[]): number[] {
  return [...new Set(events.map((event) => Number(event.split(' ')[1])))];
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s stops every service in order and exits 0', async (signal) => {
  await using dir = await tempDir();
  const daemon = await fixtureService('daemon', dir.path);
  const gateway = await fixtureService('gateway', dir.path);
  await using launcher = new Launcher([daemon, gateway]);
  await launcher.untilSays(`sandbox: ready on http://127.0.0.1:${gateway.address.port}`);
  launcher.signal(signal);
  expect(await launcher.ended()).toBe(0);
  expect([...daemon.events(), ...gateway.events()].map((event) => event.split(' ')[0])).toEqual([
    'up',
    'term',
    'up',
    'term',
  ]);
  expect([...pids(daemon.events()), ...pids(gateway.events())].filter(alive)).toEqual([]);
});

test('a Ctrl-C that npm delivers again does not kill, one that comes later does', async () => {
  await using dir = await tempDir();
  const stubborn = await fixtureService('daemon', dir.path, '--ignore-term');
  await using launcher = new Launcher([stubborn], { graceMs: 60_000 });
  await launcher.untilSays('ready on');
  const pressed = performance.now();
  launcher.signal('SIGINT');
  launcher.signal('SIGINT');
  // Pressed repeatedly until the end: none of them may kill the launcher.
  const timer = setInterval(() => launcher.signal('SIGINT'), 2);
  expect(await launcher.ended()).toBe(0);
  clearInterval(timer);
  expect(performance.now() - pressed).toBeGreaterThan(400);
  expect(pids(stubborn.events()).filter(alive)).toEqual([]);
});

test('what a service that did not end in order has left is reaped, and only then', async () => {
  await using dir = await tempDir();
  const reap = [process.execPath, '-e', `fs.appendFileSync('${dir.path}/reaped', 'x')`];
  const orderly = new Launcher([await fixtureService('daemon', dir.path)], { reap });
  await orderly.untilSays('ready on');
  orderly.signal('SIGTERM');
  expect(await orderly.ended()).toBe(0);
  expect(existsSync(join(dir.path, 'reaped'))).toBe(false);
  const stubborn = new Launcher([await fixtureService('daemon', dir.path, '--ignore-term')], { reap, graceMs: 100 });
  await stubborn.untilSays('ready on');
  stubborn.signal('SIGTERM');
  expect(await stubborn.ended()).toBe(0);
  expect(existsSync(join(dir.path, 'reaped'))).toBe(true);
});

test('a service that does not stop is killed after its grace', async () => {
  await using dir = await tempDir();
  const stubborn = await fixtureService('daemon', dir.path, '--ignore-term');
  await using launcher = new Launcher([stubborn], { graceMs: 200 });
  await launcher.untilSays('ready on');
  launcher.signal('SIGTERM');
  expect(await launcher.ended()).toBe(0);
  expect(launcher.text).toContain('sandbox: daemon has not stopped after 0.2 s, killing it');
});

test('a service that dies is started again, with a line that says so', async () => {
  await using dir = await tempDir();
  const daemon = await fixtureService('daemon', dir.path);
  await using launcher = new Launcher([daemon]);
  await launcher.untilSays('ready on');
  await fetch(`${urlOf(daemon.address)}/crash`).catch(() => {});
  await launcher.untilSays('sandbox: daemon ended (exit 7), starting it again\n');
  await launcher.until(() => pids(daemon.events()).length === 2);
  await fetch(`${urlOf(daemon.address)}/crash`).catch(() => {});
  await launcher.untilSays('sandbox: daemon ended (exit 7), starting it again in 0.25 s\n');
  launcher.signal('SIGTERM');
  expect(await launcher.ended()).toBe(0);
});

test('a wrong option ends everything with exit 2 and the one line of the service', async () => {
  await using dir = await tempDir();
  const daemon = await fixtureService('daemon', dir.path, '--exit=2');
  const gateway = await fixtureService('gateway', dir.path);
  await using launcher = new Launcher([daemon, gateway]);
  expect(await launcher.ended()).toBe(2);
  expect(launcher.text.split('\n').filter((line) => !line.startsWith('{'))).toEqual(['service: wrong option', '']);
  expect(pids(gateway.events()).filter(alive)).toEqual([]);
});

test('a service that ends before it was ready ends everything', async () => {
  await using dir = await tempDir();
  const daemon = await fixtureService('daemon', dir.path, '--exit=1');
  await using launcher = new Launcher([daemon]);
  expect(await launcher.ended()).toBe(1);
  expect(launcher.text).toContain('sandbox: daemon ended (exit 1) before it was ready');
});

test('a port in use is one clear line, and nothing is started', async () => {
  await using dir = await tempDir();
  const daemon = await fixtureService('daemon', dir.path);
  const gateway = await fixtureService('gateway', dir.path);
  const server = createServer().listen(gateway.address.port, '127.0.0.1');
  await once(server, 'listening');
  await using launcher = new Launcher([daemon, gateway]);
  expect(await launcher.ended()).toBe(1);
  expect(launcher.text).toBe(
    `sandbox: port ${gateway.address.port} of 127.0.0.1, wanted by the gateway, is in use; choose another\n`,
  );
  expect(daemon.events()).toEqual([]);
  server.close();
});

test('a launcher that is killed leaves no service behind', async () => {
  await using dir = await tempDir();
  const daemon = await fixtureService('daemon', dir.path);
  await using launcher = new Launcher([daemon]);
  await launcher.untilSays('ready on');
  launcher.signal('SIGKILL');
  expect(await launcher.ended()).toBe('SIGKILL');
  expect(daemon.events().map((event) => event.split(' ')[0])).toEqual(['up', 'term']);
});

test('what the doctor finds missing is said before ready, with how to get it', async () => {
  await using dir = await tempDir();
  const checks = [
    { name: 'shell', ok: true, detail: 'bash 5.2', hint: null },
    { name: 'compiler', ok: false, detail: 'no cc on PATH', hint: 'apt-get install gcc' },
  ];
  const doctor = [
    process.execPath,
    '-e',
    `console.log(${JSON.stringify(JSON.stringify({ checks }))}); process.exit(1)`,
  ];
  await using launcher = new Launcher([await fixtureService('daemon', dir.path)], { doctor });
  await launcher.untilSays('ready on');
  expect(launcher.text).toMatch(
    /sandbox: missing compiler: no cc on PATH; apt-get install gcc\n[\s\S]*sandbox: ready on/,
  );
  expect(launcher.text).not.toContain('missing shell');
});

test('how to get the images is said before ready', async () => {
  await using dir = await tempDir();
  await using launcher = new Launcher([await fixtureService('daemon', dir.path)], { docker: ['true'] });
  await launcher.untilSays('ready on');
  expect(launcher.text).toMatch(/sandbox: the images have .*: npm run images.*\n[\s\S]*sandbox: ready on/);
});

test('a service that does not answer in time ends everything, with a line that says so', async () => {
  await using dir = await tempDir();
  const daemon = await fixtureService('daemon', dir.path, '--unhealthy');
  await using launcher = new Launcher([daemon], { readyMs: 500 });
  expect(await launcher.ended()).toBe(1);
  expect(launcher.text).toContain('sandbox: no answer from the daemon within 0.5 s\n');
  expect(pids(daemon.events()).filter(alive)).toEqual([]);
});

test.each([
  [true, '03:04:05 daemon   listening\n'],
  [false, '{"time":"2026-01-02T03:04:05.678Z","level":"info","msg":"listening"}\n'],
])('logs for a person (%s) or as they are', async (human, line) => {
  await using dir = await tempDir();
  await using launcher = new Launcher([await fixtureService('daemon', dir.path)], { human });
  await launcher.untilSays('ready on');
  await launcher.untilSays(line);
});
