import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SeededRandom, seededBytes } from '../../../../../scripts/testing/seeded-random.ts';
import { textOf } from '../process-host.fixture.ts';
import {
  RawClient,
  RunningKeeper,
  sanitizedProgram,
  startFrame,
  startIn,
  stdinFrame as stdin,
} from './keeper.fixture.ts';
import { FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';

if (sanitizedProgram === undefined) process.stderr.write('not tested: stdin across cuts, no keeper-sanitized\n');

const eof = (id: string, offset: number): FrameWriter => new FrameWriter(REQUEST.stdinEof).text(id).u64(offset);

/** Connects as another client for a moment: the first connection ends in the middle of a frame, and is joined again. */
async function cut(keeper: RunningKeeper): Promise<void> {
  const socket = await keeper.connect();
  const closed = new Promise<void>((resolve) => socket.on('error', () => {}).on('close', () => resolve()));
  socket.resume().write(new FrameWriter(REQUEST.hello).u32(KEEPER_VERSION).finish());
  await closed;
}

describe.runIf(sanitizedProgram !== undefined)('stdin across a connection that is cut', () => {
  const program = sanitizedProgram ?? '';

  test('every byte arrives once and in order, however often it is cut', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using host = await keeper.host();
    const hash = createHash('sha256');
    const random = new SeededRandom('pieces of stdin across cuts');
    const hosted = await startIn(host, 'sum', 'sha256sum', { stdin: 'pipe' });
    for (let piece = 0; piece < 120; piece++) {
      const bytes = random.bytes(1 + ((piece * 7919) % 100_000));
      hash.update(bytes);
      await hosted.writeStdin(bytes);
      if (piece % 3 === 0) await cut(keeper);
    }
    await hosted.endStdin();
    await cut(keeper);
    expect(await hosted.ended).toMatchObject({ exitCode: 0 });
    expect(await textOf(hosted.output.stdout)).toBe(`${hash.digest('hex')}  -\n`);
    expect(keeper.said).toBe('');
  });

  test('repeated bytes are taken once, early ones not at all, and STATE has the offset to continue at', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using client = await RawClient.open(keeper.socket);
    client.send(startFrame('cat', 'exec cat', { stdin: true }));
    await client.state('cat');
    client.send(stdin('cat', 0, 'ab'), stdin('cat', 0, 'abc'), stdin('cat', 10, 'zz'), eof('cat', 99));
    await client.state('cat', ({ streams }) => streams[0]?.end === 3);
    await using next = await RawClient.open(keeper.socket);
    const announced = await next.state();
    expect(announced).toMatchObject({ id: 'cat', hasStdin: true, end: undefined });
    expect(announced.input).toMatchObject({
      isOpen: true,
      taken: 3,
      limit: 3 + 8 * 1024 * 1024,
      sequence: 0,
      dropped: 0,
    });
    next.send(stdin('cat', 3, 'd'), eof('cat', 4));
    await next.ended('cat');
    expect(readFileSync(join(keeper.directory, 'output/cat.stdout.0'), 'latin1')).toBe('abcd');
  });

  test('the end of stdin comes after the bytes that the process has not taken yet', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using client = await RawClient.open(keeper.socket);
    const gate = join(keeper.directory, 'gate');
    execFileSync('mkfifo', [gate]);
    client.send(startFrame('late', `read -r _ < '${gate}'; exec cat`, { stdin: true }));
    await client.state('late');
    // The first half fills the pipe, so that the keeper holds the second one.
    const sent = seededBytes(128_000);
    client.send(stdin('late', 0, sent.subarray(0, 64_000)), stdin('late', 64_000, sent.subarray(64_000)));
    client.send(eof('late', sent.length), startFrame('next', 'exit 0'));
    await client.ended('next');
    writeFileSync(gate, 'go\n');
    await client.ended('late');
    expect(readFileSync(join(keeper.directory, 'output/late.stdout.0')).equals(sent)).toBe(true);
  });

  test('frames that a client sent before it died are handled before the next one gets WELCOME', async () => {
    await using keeper = await RunningKeeper.start(program);
    const sent = seededBytes(60_000);
    const client = await RawClient.open(keeper.socket);
    client.send(startFrame('cat', 'exec cat', { stdin: true }));
    await client.state('cat');
    keeper.child.kill('SIGSTOP');
    client.send(stdin('cat', 0, sent), startFrame('late', 'exit 5'), eof('cat', sent.length));
    await new Promise<void>((resolve) => client.socket.end(resolve));
    const opening = RawClient.open(keeper.socket);
    keeper.child.kill('SIGCONT');
    await using next = await opening;
    const exits = new Set<string>();
    while (exits.size < 2) exits.add((await next.state(undefined, ({ end }) => end !== undefined)).id);
    expect([...exits].sort()).toEqual(['cat', 'late']);
    expect(readFileSync(join(keeper.directory, 'output/cat.stdout.0')).equals(sent)).toBe(true);
    client.socket.destroy();
  });
});
