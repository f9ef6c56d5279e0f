import { setImmediate } from 'node:timers/promises';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import type { App } from '../app-types.ts';
import { spreadLargeAnswers } from './spread-answers.ts';

/** Answers `text` as `data.text`; notes the names of answers in the order in which they are serialized. */
function appThatNotes(): { app: App; serialized: string[] } {
  const serialized: string[] = [];
  const app = fastify();
  app.setReplySerializer((payload) => {
    const answer = payload as { data: { name: string } };
    serialized.push(answer.data.name);
    return JSON.stringify(answer);
  });
  const answers = app as unknown as App;
  spreadLargeAnswers(answers);
  app.get<{ Params: { name: string; length: string } }>('/:name/:length', ({ params }) => ({
    data: { name: params.name, text: 'x'.repeat(Number(params.length)) },
  }));
  return { app: answers, serialized };
}

test('a small answer is serialized between large ones that were ready before it', async () => {
  const { app, serialized } = appThatNotes();
  await app.ready();
  const large = ['a', 'b', 'c', 'd'].map((name) => app.inject(`/${name}/1000000`));
  await setImmediate();
  await setImmediate();
  const small = app.inject('/small/1');
  const answers = await Promise.all([...large, small]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.map(({ body }) => body.length > 1_000_000)).toEqual([true, true, true, true, false]);
  expect(serialized.filter((name) => name !== 'small')).toEqual(['a', 'b', 'c', 'd']);
  expect(serialized.at(-1)).toBe('d');
});

test('large answers that come one after another are all sent', async () => {
  const { app, serialized } = appThatNotes();
  await app.ready();
  for (const name of ['a', 'b']) expect((await app.inject(`/${name}/1000000`)).statusCode).toBe(200);
  expect(serialized).toEqual(['a', 'b']);
});
