import { expect, test } from 'vitest';
import { bytesOfText, type Message } from './ripgrep-messages.ts';
import { textMessages } from './ripgrep-text.ts';

const MiB = 1024 ** 2;

async function* inPieces(bytes: Buffer, length: number): AsyncIterable<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function messagesOf(bytes: Buffer, length: number): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const message of textMessages(inPieces(bytes, length))) messages.push(message);
  return messages;
}

const lines = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => (message.type === 'match' ? [bytesOfText(message.data.lines).toString()] : []));

test('[work.linear] a line of 31 MiB that comes in pieces of 1 KiB is read in time', async () => {
  const line = Buffer.concat([Buffer.from('./a\x001:'), Buffer.alloc(31 * MiB, 'x'), Buffer.from('\n')]);
  const began = performance.now();
  const found = lines(await messagesOf(line, 1024));
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(found.map((text) => text.length)).toEqual([31 * MiB + 1]);
});

test('records are the same in pieces of any length', async () => {
  const output =
    './a\x001:one\n./a\x002-two\n./b\nc\x0012:three\n./b\nc: binary file matches (found "\\0")\n\n3 files searched\n';
  const whole = await messagesOf(Buffer.from(output), output.length);
  expect(whole.map(({ type }) => type)).toEqual([
    'begin',
    'match',
    'context',
    'end',
    'begin',
    'match',
    'end',
    'summary',
  ]);
  for (const length of [1, 2, 3, 7, 40]) expect(await messagesOf(Buffer.from(output), length)).toEqual(whole);
});

test('a line of over 32 MiB ends the search', async () => {
  const line = Buffer.concat([Buffer.from('./a\x001:'), Buffer.alloc(32 * MiB, 'x')]);
  expect((await messagesOf(line, MiB)).map(({ type }) => type)).toEqual(['oversize']);
});
