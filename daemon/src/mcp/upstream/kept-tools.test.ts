import type { Tool } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { KeptTools } from './kept-tools.ts';

const [ONE, TWO] = ['one', 'two'].map((name): Tool[] => [{ name, inputSchema: { type: 'object' } }]) as [
  Tool[],
  Tool[],
];
const LONG = 60_000;

/** Lists whose questions are answered one by one by the test. */
function asked(terms: { keptMs: number; patienceMs: number; endMs?: number }) {
  const questions: PromiseWithResolvers<readonly Tool[]>[] = [];
  const ask = (signal: AbortSignal): Promise<readonly Tool[]> => {
    const question = Promise.withResolvers<readonly Tool[]>();
    signal.addEventListener('abort', () => question.reject(signal.reason));
    questions.push(question);
    return question.promise;
  };
  return { questions, kept: new KeptTools(ask, { endMs: LONG, ...terms }) };
}

test('[mcp.upstream-late] readers wait for one answer, which is kept until it is invalid', async () => {
  const { kept, questions } = asked({ keptMs: LONG, patienceMs: LONG });
  const readers = [kept.list(), kept.list()];
  questions[0]?.resolve(ONE);
  expect(await Promise.all(readers)).toEqual([ONE, ONE]);
  expect(await kept.list()).toEqual(ONE);
  kept.invalidate();
  const fresh = kept.list();
  questions[1]?.resolve(TWO);
  expect([await fresh, questions.length]).toEqual([TWO, 2]);
});

test('[mcp.upstream-late] a late answer is kept for the next reader; until then there is what was listed before', async () => {
  const { kept, questions } = asked({ keptMs: LONG, patienceMs: 1 });
  expect(await kept.list()).toEqual([]);
  questions[0]?.resolve(ONE);
  await expect.poll(() => kept.list()).toEqual(ONE);
  kept.invalidate();
  expect(await kept.list()).toEqual(ONE);
  questions[1]?.resolve(TWO);
  await expect.poll(() => kept.list()).toEqual(TWO);
  expect(questions).toHaveLength(2);
});

test('[mcp.upstream-late] a change while the server is asked makes the next reader ask again', async () => {
  const { kept, questions } = asked({ keptMs: LONG, patienceMs: LONG });
  const first = kept.list();
  kept.invalidate();
  questions[0]?.resolve(ONE);
  expect(await first).toEqual(ONE);
  const next = kept.list();
  questions[1]?.resolve(TWO);
  expect(await next).toEqual(TWO);
});

test('[mcp.upstream-late] a server that fails, or says nothing to the end, has no tools and is asked again later', async () => {
  const { kept, questions } = asked({ keptMs: 0, patienceMs: LONG, endMs: 20 });
  const first = kept.list();
  questions[0]?.resolve(ONE);
  expect(await first).toEqual(ONE);
  const failing = kept.list();
  questions[1]?.reject(new Error('refused'));
  expect(await failing).toEqual([]);
  expect(await kept.list()).toEqual([]);
  expect(questions).toHaveLength(3);
});
