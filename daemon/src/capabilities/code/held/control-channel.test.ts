import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { ControlChannel, type Message } from './control-channel.ts';

/** A socket of an interpreter whose account writes what it likes. */
async function peer(speak: (socket: Socket) => void) {
  const directory = await tempDir();
  const path = join(directory.path, 'control');
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (text: string) => heard.push(text));
    socket.on('error', () => undefined);
    speak(socket);
  });
  await once(server.listen(path), 'listening');
  return {
    path,
    heard,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve));
      await directory[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ['another token', '{"hello":"wrong"}\n'],
  ['a message before the greeting', '{"done":"x"}\n'],
  ['no JSON', 'HTTP/1.1 200 OK\n'],
  ['an array', '["hello"]\n'],
])('a peer that greets with %s is refused and gets nothing', async (_name, text) => {
  await using other = await peer((socket) => socket.write(text));
  const messages: Message[] = [];
  using channel = new ControlChannel(other.path, 'secret', (message) => void messages.push(message));
  expect(await channel.hello).toBeUndefined();
  await channel.closed;
  expect([messages, other.heard]).toEqual([[], []]);
});

test('messages come whole however they are cut, and what is not one closes the channel', async () => {
  const all = '{"hello":"secret","running":"é"}\n{"a":1}\n{"b":2}\nnonsense\n{"c":3}\n';
  await using other = await peer((socket) => {
    const bytes = Buffer.from(all);
    let at = 0;
    const next = (): void => {
      if (at >= bytes.length) return;
      socket.write(bytes.subarray(at, at + 3), next);
      at += 3;
    };
    next();
  });
  const messages: Message[] = [];
  using channel = new ControlChannel(other.path, 'secret', (message) => void messages.push(message));
  await channel.closed;
  expect(messages).toEqual([{ hello: 'secret', running: 'é' }, { a: 1 }, { b: 2 }]);
});

test('a message without an end is cut off at 16 MiB', async () => {
  const piece = 'x'.repeat(1024 * 1024);
  let written = 0;
  await using other = await peer((socket) => {
    socket.write('{"hello":"secret"}\n"');
    const more = (): void => {
      written += piece.length;
      if (written < 256 * 1024 ** 2 && !socket.destroyed) socket.write(piece, more);
    };
    more();
  });
  using channel = new ControlChannel(other.path, 'secret', () => undefined);
  expect(await channel.hello).toEqual({ hello: 'secret' });
  await channel.closed;
  expect(written).toBeLessThan(64 * 1024 ** 2);
});

test('a socket that is not there closes the channel', async () => {
  using channel = new ControlChannel('/no/such/socket', 'secret', () => undefined);
  expect(await channel.hello).toBeUndefined();
});
