import { expect, test } from 'vitest';
import { ProgramAnswer } from './program-answer.ts';

test('a program that does not answer when it is asked anew keeps its former answer', async () => {
  const answers: (string | undefined)[] = ['first', undefined, 'third'];
  const program = new ProgramAnswer(async () => answers.shift());
  expect(await program.get()).toBe('first');
  expect(await program.renewed()).toBe('first');
  expect(await program.get()).toBe('first');
  expect(await program.renewed()).toBe('third');
  expect(await program.get()).toBe('third');
});

test('a program that is asked anew keeps no caller of its former answer waiting', async () => {
  const second = Promise.withResolvers<string>();
  const answers = [Promise.resolve('first'), second.promise];
  const program = new ProgramAnswer(() => answers.shift() ?? Promise.resolve(undefined));
  await program.get();
  const renewed = program.renewed();
  expect(await program.get()).toBe('first');
  second.resolve('second');
  expect(await renewed).toBe('second');
  expect(await program.get()).toBe('second');
});
