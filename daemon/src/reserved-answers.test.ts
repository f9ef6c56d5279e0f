import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { excerptOf } from './capabilities/commands/output/excerpt.ts';
import { WorkerClient } from './capabilities/desktop/worker-client.ts';
import { listDirectory } from './capabilities/files/read/list.ts';
import { outputBetween } from './capabilities/pty/exec/exec-output.ts';
import { History } from './capabilities/pty/session/history.ts';
import { SearchService } from './capabilities/search/search-service.ts';
import { AnswerBudget } from './core/answers/answer-budget.ts';
import { AnswerHold, withinHold } from './core/answers/answer-hold.ts';
import { OutputLog } from './core/output/output-log.ts';
import { OutputLogWriter } from './core/output/output-log-writer.ts';

const MIB = 1024 ** 2;

/** Does the work for the answer of a client, within a budget of so many bytes for all answers. */
function within<T>(budget: AnswerBudget, work: () => Promise<T>): Promise<T> {
  const answer = Object.assign(new EventEmitter(), { destroyed: false });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  withinHold(new AnswerHold(budget, answer), () => {
    work().then(resolve, reject);
  });
  return promise.finally(() => answer.emit('close'));
}

function logOf(directory: string, text: string): OutputLog {
  const log = new OutputLog(directory, 'a', 'terminal');
  new OutputLogWriter(log, 16 * MIB).write('stdout', Buffer.from(text));
  return log;
}

const TOO_MUCH = expect.objectContaining({ kind: 'unavailable', message: expect.stringContaining('too much memory') });

test('[answers.reserved] matches, names, lists and terminals do not begin beyond the memory of answers', async () => {
  await using directory = await tempDir();
  const { path } = directory;
  await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => writeFile(join(path, `${n}`.padStart(100, 'n')), 'needle')),
  );
  const history = new History(16 * MIB);
  history.append(logOf(path, 'x'.repeat(2 * MIB)).stdout);
  const record = { ps1: '$ ', command: 'true', start: 0, end: null, exitCode: null };
  await using search = new SearchService(60);
  const gone = new AbortController().signal;
  const terms = { path, include: [], exclude: [], isRegex: false, caseInsensitive: false };
  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    terminal: () => outputBetween(history, record),
    list: () => listDirectory({ path, recursive: true, showHidden: true, limit: 10_000 }),
    grep: () => search.grep({ ...terms, pattern: 'needle' } as unknown as Parameters<SearchService['grep']>[0], gone),
    names: () => search.names({ ...terms, pattern: '*' } as unknown as Parameters<SearchService['names']>[0], gone),
  };
  for (const [name, work] of Object.entries(works)) {
    const small = new AnswerBudget(MIB / 2);
    await expect([name, await within(small, work).catch((error: unknown) => error)]).toEqual([name, TOO_MUCH]);
    expect([name, small.held, small.refused]).toEqual([name, 0, 1]);
  }
});

test('[answers.reserved] a picture of the desktop is read no further than the memory of answers', async () => {
  const worker = createServer((_req, res) => void res.end(Buffer.alloc(4 * MIB)));
  await once(worker.listen(0, '127.0.0.1'), 'listening');
  using client = new WorkerClient(`http://127.0.0.1:${(worker.address() as AddressInfo).port}`);
  const ask = () => client.ask({ method: 'GET', path: '/', ms: 10_000 });
  const small = new AnswerBudget(MIB);
  await expect(within(small, ask)).rejects.toEqual(TOO_MUCH);
  expect([small.held, small.refused]).toEqual([0, 1]);
  const roomy = new AnswerBudget(16 * MIB);
  expect([(await within(roomy, ask)).body.length, roomy.held]).toEqual([4 * MIB, 0]);
  worker.closeAllConnections();
  worker.close();
});

test('[answers.reserved] a command that has run is answered with a cut output instead', async () => {
  await using directory = await tempDir();
  const log = logOf(directory.path, `begin${'x'.repeat(2 * MIB)}end`);
  const small = new AnswerBudget(MIB);
  const cut = await within(small, () => excerptOf(log, 0));
  expect([cut.truncated, cut.stdout.length < 8_192, small.refused, small.held]).toEqual([true, true, 1, 0]);
  expect(cut.stdout).toMatch(/^begin[\s\S]*bytes left out[\s\S]*end$/);
  const whole = await within(new AnswerBudget(8 * MIB), () => excerptOf(log, 0));
  expect([whole.truncated, whole.stdout.length]).toEqual([false, 2 * MIB + 8]);
});
