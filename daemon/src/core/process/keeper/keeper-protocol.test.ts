import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../../../scripts/testing/seeded-random.ts';
import { textOf } from '../process-host.fixture.ts';
import { RawClient, RunningKeeper, sanitizedProgram, startFrame, startIn, stdinFrame } from './keeper.fixture.ts';
import { EVENT, FrameSplitter, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';

const HELLO = new FrameWriter(REQUEST.hello).u32(KEEPER_VERSION).finish();

function frame(type: number, body: Uint8Array, length: number = body.length + 1): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(length >>> 0);
  head.writeUInt8(type, 4);
  return Buffer.concat([head, body]);
}

function start(
  id: string,
  change: (frame: FrameWriter) => FrameWriter = (frame) => frame.flag(false).u8(0).text(''),
): Buffer {
  const head = new FrameWriter(REQUEST.start)
    .text(id)
    .u8(0)
    .flag(true)
    .u16(0)
    .u16(0)
    .u64(1000)
    .u32(1000)
    .account(undefined);
  return change(head.text('/').text('/bin/true').texts(['true']).texts([])).finish();
}

/** In either form: unread bytes turn the end into a reset. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve());
  });
}

/** Whether the keeper ended the connection after these bytes; it says something first where it took them. */
async function refuses(keeper: RunningKeeper, bytes: Buffer): Promise<boolean> {
  const socket = await keeper.connect();
  const closed = closeOf(socket).then(() => true);
  socket.resume();
  // An answer to what came after it shows that it was taken.
  const count = new FrameWriter(REQUEST.signal).u32(77).u32(0).u32(0).finish();
  const answered = new Promise<boolean>((resolve) => {
    let seen = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      seen = Buffer.concat([seen, chunk]);
      if (seen.includes(Buffer.from([EVENT.signalled, 77, 0, 0, 0]))) resolve(false);
    });
  });
  socket.write(Buffer.concat([bytes, count]));
  const refused = await Promise.race([closed, answered]);
  socket.destroy();
  return refused;
}

async function expectServes(keeper: RunningKeeper): Promise<void> {
  expect(keeper.said).toBe('');
  expect(keeper.alive).toBe(true);
  await using host = await keeper.host();
  const hosted = await startIn(host, `after-${randomUUID()}`, 'echo fine');
  await hosted.ended;
  expect(await textOf(hosted.output.stdout)).toBe('fine\n');
}

if (sanitizedProgram === undefined) process.stderr.write('not tested: what the keeper reads, no keeper-sanitized\n');

describe.runIf(sanitizedProgram !== undefined)('what the keeper reads', () => {
  const program = sanitizedProgram ?? '';
  const u32 = (value: number): Buffer => frame(0, Buffer.alloc(0), value).subarray(0, 4);
  const greeted = (bytes: Buffer): Buffer => Buffer.concat([HELLO, bytes]);

  test.each<[string, Buffer]>([
    ['a frame before HELLO', start('a')],
    ['HELLO of another version', new FrameWriter(REQUEST.hello).u32(1).finish()],
    ['a HELLO that is too long', frame(REQUEST.hello, Buffer.alloc(5))],
    ['an empty frame', greeted(u32(0))],
    ['a frame of 4 GiB', greeted(u32(0xffffffff))],
    ['a frame over its bound', greeted(u32(12 * 1024 * 1024 + 1))],
    ['an unknown type', greeted(frame(200, Buffer.alloc(0)))],
    ['a second HELLO', greeted(HELLO)],
    ['an empty id', greeted(start(''))],
    ['an id that leads elsewhere', greeted(start('../a'))],
    ['an id that is too long', greeted(start('a'.repeat(101)))],
    ['a NUL in an id', greeted(start('a\0b'))],
    ['fields that are missing', greeted(frame(REQUEST.start, Buffer.from([1, 0, 0, 0, 97])))],
    ['bytes left over', greeted(start('a', (rest) => rest.flag(false).u8(0).text('').u8(0)))],
    ['a flag that is 2', greeted(start('a', (rest) => rest.u8(2)))],
    ['a script longer than its frame', greeted(start('a', (rest) => rest.flag(true).u32(1000)))],
    ['a record longer than its frame', greeted(start('a', (rest) => rest.flag(false).u8(0).u32(1000)))],
    ['a limit of an unknown kind', greeted(start('a', (rest) => rest.flag(false).u8(1).u8(99).u64(0).u64(0).text('')))],
    ['a nice value of 20', greeted(start('a', (rest) => rest.flag(false).u8(1).u8(200).u64(40).u64(0).text('')))],
    ['ids that are not there', greeted(new FrameWriter(REQUEST.forget).u32(4096).finish())],
    ['a signal of 65', greeted(new FrameWriter(REQUEST.signal).u32(1).u32(65).u32(0).finish())],
    ['targets that are not there', greeted(new FrameWriter(REQUEST.signal).u32(1).u32(0).u32(4096).finish())],
    [
      'stdin longer than its frame',
      greeted(new FrameWriter(REQUEST.stdin).text('a').u64(1).flag(false).u64(0).u32(0xffffffff).finish()),
    ],
  ])('%s ends the connection and nothing else', async (_name, bytes) => {
    await using keeper = await RunningKeeper.start(program);
    expect(await refuses(keeper, bytes)).toBe(true);
    await expectServes(keeper);
  });

  test('well-formed frames about unknown processes are not errors', async () => {
    await using keeper = await RunningKeeper.start(program);
    const frames = [
      stdinFrame('none', 0, 'x'),
      new FrameWriter(REQUEST.stdinEof).text('none').u64(0),
      new FrameWriter(REQUEST.resize).text('none').u16(1).u16(1),
      new FrameWriter(REQUEST.forget).u32(1).text('none').flag(true),
      new FrameWriter(REQUEST.trim).text('none').u8(0).u64(1),
      new FrameWriter(REQUEST.foreground).u32(1).u32(9).text('none'),
    ].map((writer) => writer.finish());
    expect(await refuses(keeper, Buffer.concat([HELLO, ...frames]))).toBe(false);
    await expectServes(keeper);
  });

  test('of more stdin than there is room for the first bytes are taken, and STATE says up to where', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using client = await RawClient.open(keeper.socket);
    client.send(startFrame('full', 'exec sleep 1000', { stdin: true }));
    await client.state('full');
    const piece = Buffer.alloc(5 * 1024 * 1024);
    const send = (sequence: number, offset: number): void =>
      client.send(new FrameWriter(REQUEST.stdin).text('full').u64(sequence).flag(true).u64(offset).bytes(piece));
    send(1, 0);
    send(2, piece.length);
    const { input } = await client.state('full', (state) => state.input.sequence === 2);
    // The pipe holds a little, too.
    expect(input.taken).toBeGreaterThanOrEqual(8 * 1024 * 1024);
    expect(input.taken).toBeLessThan(9 * 1024 * 1024);
    expect(input).toMatchObject({ isOpen: true, limit: input.taken });
    // A gap: nothing is taken.
    send(3, input.taken + 1);
    expect((await client.state('full', (state) => state.input.sequence === 3)).input.taken).toBe(input.taken);
    expect(keeper.said).toBe('');
  });

  test('all processes together are given 64 MiB, each of them at least a block, and all once there is room', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using client = await RawClient.open(keeper.socket);
    const piece = Buffer.alloc(10 * 1024 * 1024);
    const fill = async (id: string): Promise<number> => {
      client.send(startFrame(id, 'exec sleep 1000', { stdin: true }));
      await client.state(id);
      client.send(new FrameWriter(REQUEST.stdin).text(id).u64(1).flag(true).u64(0).bytes(piece));
      return (await client.state(id, ({ input }) => input.sequence === 1)).input.taken;
    };
    const taken: number[] = [];
    for (let i = 0; i < 10; i++) taken.push(await fill(`p${i}`));
    const pipe = 64 * 1024;
    const held = taken.reduce((sum, bytes) => sum + bytes - pipe, 0);
    expect(held).toBeGreaterThan(60 * 1024 * 1024);
    expect(held).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(Math.min(...taken)).toBeGreaterThanOrEqual(4096);
    client.send(new FrameWriter(REQUEST.signal).u32(1).u32(9).u32(1).text('p0').u32(0).flag(true).account(undefined));
    const { input } = await client.state('p9', (state) => state.input.limit > state.input.taken);
    expect(input.limit - input.taken).toBeGreaterThan(1024 * 1024);
    expect(keeper.said).toBe('');
  });

  test('a client that is killed in the middle of a frame starts nothing', async () => {
    await using keeper = await RunningKeeper.start(program);
    const whole = startFrame('half', 'exit 3').finish();
    for (const length of [1, 3, 4, 5, 20, whole.length - 1]) {
      const socket = await keeper.connect();
      socket.end(greeted(whole.subarray(0, length)));
      await closeOf(socket.resume());
    }
    await using client = await RawClient.open(keeper.socket);
    await client.until(EVENT.synced);
    // Its id is free: it never ran.
    client.send(startFrame('half', 'exit 4'));
    expect(await client.ended('half')).toMatchObject({ exitCode: 4 });
    expect(keeper.said).toBe('');
  });

  test('a frame of 12 MiB is taken, and what it needed is given back', async () => {
    await using keeper = await RunningKeeper.start(program);
    const socket = await keeper.connect();
    socket.resume();
    // 12 MiB in all: a script, whose program cannot be entered, so that nothing runs.
    const head = start('big', (rest) => rest.flag(true).u8(0).text('')).length;
    const script = Buffer.alloc(12 * 1024 * 1024 - head, 'x');
    const big = start('big', (rest) => rest.flag(true).bytes(script).u8(0).text(''));
    expect(big.readUInt32LE(0)).toBe(12 * 1024 * 1024);
    expect(await refuses(keeper, greeted(big))).toBe(false);
    socket.destroy();
    await expectServes(keeper);
  });

  test('a process that is forgotten before it is announced does not delay SYNCED of the next client', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using first = await RawClient.open(keeper.socket);
    first.send(startFrame('a', 'exit 0'), startFrame('b', 'exec sleep 1000'));
    await first.ended('a');
    const socket = await keeper.connect();
    const forget = new FrameWriter(REQUEST.forget).u32(1).text('a').flag(false).finish();
    const frames: string[] = [];
    const synced = new Promise<void>((resolve) => {
      const splitter = new FrameSplitter();
      socket.on('data', (chunk) => {
        for (const { type } of splitter.push(chunk)) {
          frames.push(String(type));
          if (type === EVENT.synced) resolve();
        }
      });
    });
    socket.write(Buffer.concat([HELLO, forget]));
    await synced;
    expect(frames).toEqual([EVENT.welcome, EVENT.state, EVENT.synced].map(String));
    socket.destroy();
  });

  test('clients that never send HELLO do not exclude others', async () => {
    await using keeper = await RunningKeeper.start(program);
    const silent: Socket[] = [];
    for (let count = 0; count < 20; count++) silent.push((await keeper.connect()).on('error', () => {}).resume());
    await expectServes(keeper);
    for (const socket of silent) socket.destroy();
  });

  test('100,000 random frames, cut anywhere, end connections and nothing else', async () => {
    await using keeper = await RunningKeeper.start(program);
    const types = Object.values(REQUEST).filter((type) => type !== REQUEST.shutdown && type !== REQUEST.signal);
    const random = new SeededRandom('100,000 random frames');
    for (let sent = 0; sent < 100_000; ) {
      const socket = await keeper.connect();
      const closed = closeOf(socket);
      socket.resume();
      socket.write(HELLO);
      for (let batch = 0; batch < 400; batch++, sent++) {
        const type = types[random.below(types.length)] ?? 0;
        const body = random.bytes(random.below(64));
        // Half of them begin with a well-formed id, so that they are read further.
        const id = new FrameWriter(0).text('a').finish().subarray(5);
        socket.write(random.below(2) === 0 ? frame(type, body) : frame(type, Buffer.concat([id, body])));
      }
      socket.end();
      await closed;
    }
    await expectServes(keeper);
  }, 180_000);
});
