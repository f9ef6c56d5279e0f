import { readdir, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAULTS, HostileServer } from './hostile-server.fixture.ts';
import { Sandbox, SandboxError } from './index.ts';
import { CLASSES, givenFor, LOCAL, USES, WATCH_CREATED } from './uses.fixture.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await HostileServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

test('[client.hostile] each method that sends requests has a use in the table', () => {
  const methods = Object.entries(CLASSES).flatMap(([name, type]) => {
    const own = [...Object.getOwnPropertyNames(type.prototype), ...Object.getOwnPropertyNames(type)];
    const inherited = ['constructor', 'length', 'name', 'prototype'];
    // Without requests, or the beginning of an object that another row begins.
    const begins = ['Sandbox.at', 'Watch.start'];
    return own
      .filter((method) => !inherited.includes(method))
      .map((method) => `${name}.${method}`)
      .filter((method) => !begins.includes(method));
  });
  expect([...Object.keys(USES), ...LOCAL].filter((name) => name !== 'Watch.iterate').sort()).toEqual(methods.sort());
});

/** Texts that only an error of JavaScript or a field that was not checked has. */
const UNCHECKED = /undefined|NaN|\[object|Cannot read|is not (?:a function|iterable)|Unexpected token|Maximum call/;

/** Whether an answer without the fields of the service is the end of a call, since it wants none. */
const WITHOUT_DATA =
  /^(?:Sandbox\.terminal|Files\.(?:makeDirectory|remove|move|copy|replace)|Command\.kill|Notebook\.(?:interrupt|restart|close)|Terminal\.(?:open|write|resize|signal|close)|Page\.(?:click|fill|close)|Watch\.(?:iterate|close))$/;
/** Calls for which an answer with 404 or 409 is a result. */
const ALSO_MISSING =
  /^(?:Files\.exists|Notebook\.close|Terminal\.(?:open|close)|Sandbox\.terminal|Watch\.(?:close|iterate))$/;

test.each(Object.keys(FAULTS))('[client.hostile] a server that %s ends each call with an error', async (fault) => {
  server.answer = FAULTS[fault] ?? server.answer;
  server.good = { 'POST /v2/watch': WATCH_CREATED };
  const options = { url: server.url, retryFor: 0.05, answerWithin: 0.5 };
  const outcomes = await Promise.all(
    Object.entries(USES).map(async ([name, use]) => {
      const stop = new AbortController();
      const given = await givenFor(options, stop.signal);
      const timer = lasts(name, fault) ? setTimeout(() => stop.abort(new SandboxError('aborted')), 1000) : undefined;
      const outcome = await use(given).then(
        () => 'resolved',
        (error: unknown) => error,
      );
      clearTimeout(timer);
      const left = await readdir(given.local);
      await rm(given.local, { recursive: true });
      return { name, outcome, left: left.filter((file) => file.endsWith('.part')) };
    }),
  );
  const wrong = outcomes.filter(({ name, outcome, left }) => {
    if (left.length > 0) return true;
    if (outcome === 'resolved') return !mayResolve(name, fault);
    if (!(outcome instanceof SandboxError)) return true;
    return UNCHECKED.test(`${outcome.message} ${outcome.hint}`);
  });
  expect(wrong.map(({ name, outcome }) => `${name}: ${String(outcome)}`)).toEqual([]);
});

/** Whether a call goes on as long as its signal lets it: an answer that stops, a stream that may have more. */
function lasts(name: string, fault: string): boolean {
  if (fault === 'stops in the body' || name === 'Watch.iterate') return true;
  return fault.startsWith('streams') && /^(?:Sandbox.run|Command\.(?:output|lines|wait)|Notebook.run)$/.test(name);
}

function mayResolve(name: string, fault: string): boolean {
  if (/ 40[49]$/.test(fault)) return ALSO_MISSING.test(name) || name === 'Files.exists';
  // A file or a picture may have any bytes.
  const isOfBytes =
    /^(?:Files\.(?:stream|bytes|read|download)|Desktop\.screenshot|Page\.screenshot|Checkpoints\.(?:read|export))$/.test(
      name,
    );
  if (isOfBytes) return /^(?:answers|streams)/.test(fault) && !/ [45]\d\d/.test(fault);
  if (name === 'Watch.iterate') return true;
  // A list without tabs is an answer.
  if (name === 'Browser.pages') return fault === 'answers {"data":[]}';
  return WITHOUT_DATA.test(name) && /^(?:answers|streams) [{]/.test(fault);
}

test('[client.hostile-size] what a server sends without end is read to a bound', async () => {
  const sandbox = Sandbox.at({ url: server.url });
  let open = 0;
  const endless =
    (type: string, status = 200): typeof server.answer =>
    (response) => {
      open++;
      response.on('close', () => open--);
      response.writeHead(status, { 'content-type': type });
      const piece = Buffer.alloc(1024 ** 2, 'a');
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    };
  server.answer = endless('application/json');
  await expect(sandbox.commands()).rejects.toThrow('it has more than 64 MiB');
  await expect(sandbox.desktop.screenshot()).rejects.toThrow('it has more than 64 MiB');
  server.answer = endless('application/x-ndjson');
  await expect(sandbox.run('true')).rejects.toThrow('a line has more than 64 MiB');
  server.answer = endless('text/plain', 500);
  await expect(sandbox.commands()).rejects.toThrow('GET /v2/commands was answered with status 500');
  await expect.poll(() => open).toBe(0);
});

test('[client.hostile-size] pages of files without end are an error', async () => {
  const sandbox = Sandbox.at({ url: server.url });
  let pages = 0;
  const page = (files: readonly object[]): typeof server.answer => {
    return (response) => {
      const counts = { total_count: 1, file_count: 1, directory_count: 0, truncated: true };
      const data = { path: '/d', files, cursor: String(pages++), ...counts };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data }));
    };
  };
  server.answer = page([]);
  await expect(sandbox.files.list('/d')).rejects.toThrow('1000 pages of files are empty');
  expect(pages).toBe(1001);
  const flags = { is_directory: false, is_symlink: false, is_hidden: false, extension: null };
  const file = { name: 'f', path: '/d/f', size: 1, modified_time: '', permissions: '-rw-r--r--', ...flags };
  server.answer = page(Array.from({ length: 50_000 }, () => file));
  await expect(sandbox.files.list('/d')).rejects.toMatchObject({
    message: 'the directory has more than 200000 entries: /d',
    hint: 'read them with walk()',
  });
});
