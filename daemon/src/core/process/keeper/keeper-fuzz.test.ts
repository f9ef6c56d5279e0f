import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../../../scripts/testing/seeded-random.ts';
import { compiles, FixtureBuilds } from './fixture-builds.fixture.ts';
import { RawClient, RunningKeeper, sanitizedProgram, startFrame } from './keeper.fixture.ts';
import { EVENT, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';

const SEQUENCES = 10_000;
/** Sequences on one keeper, so that a fault is near its cause. */
const IN_A_ROW = 1000;
const SCRIPTS = ['exit 0', 'echo a; echo b >&2', 'cat', 'exec sleep 1000', 'head -c 100000 /dev/zero', 'kill -9 $$'];
/** Forkers of each keeper with a client that stays, so that what they hand over is reserved. */
const FORKERS = 20;
const SIGKILL = 9;
/** Place of the processes that were handed over in FIGURES. */
const ADOPTED_FIGURE = 6;

/** Makes frames that name few processes, so that they meet in every state. */
class FrameSource {
  readonly #random: SeededRandom;
  readonly #prefix: string;
  /** `fuzz-forker.fixture.c`. */
  readonly #forker: string;
  #request = 0;

  constructor(random: SeededRandom, prefix: string, forker: string) {
    this.#random = random;
    this.#prefix = prefix;
    this.#forker = forker;
  }

  /** Mostly valid. */
  next(): Buffer {
    const frame = this.#valid();
    // The type stays, so that its fields are read; a length beyond the bytes would only wait.
    if (this.#random.below(12) === 0 && frame.length > 5) {
      const at = 5 + this.#random.below(frame.length - 5);
      frame[at] = (frame[at] ?? 0) ^ 0xff;
    }
    return frame;
  }

  #valid(): Buffer {
    const random = this.#random;
    const id = this.#id();
    const kinds: (() => FrameWriter)[] = [
      () =>
        startFrame(id, SCRIPTS[random.below(SCRIPTS.length)] ?? '', {
          stdin: random.below(2) === 0,
          record: 'r',
          forks: random.below(4) === 0,
        }),
      () =>
        new FrameWriter(REQUEST.stdin)
          .text(id)
          .u64(random.below(40))
          .u8(random.below(20) === 0 ? 2 : random.below(2))
          .u64(random.below(40))
          .bytes(random.bytes(random.below(40))),
      () => new FrameWriter(REQUEST.stdinEof).text(id).u64(random.below(40)),
      () => new FrameWriter(REQUEST.resize).text(id).u16(random.below(200)).u16(random.below(200)),
      () =>
        new FrameWriter(REQUEST.foreground)
          .u32(++this.#request)
          .u32(0)
          .text(id),
      () =>
        new FrameWriter(REQUEST.forget)
          .u32(1)
          .text(id)
          .flag(random.below(2) === 0),
      () => new FrameWriter(REQUEST.forget).u32(2).text(id).flag(true).text(this.#id()).flag(false),
      () => new FrameWriter(REQUEST.trim).text(id).u8(random.below(3)).u64(random.below(200_000)),
      () => this.#reserve(id),
      () => this.#startForker(id),
      () => new FrameWriter(REQUEST.release).text(id),
      // Each search forks a helper, which is slow under the sanitizers.
      () => (random.below(8) === 0 ? this.#signal(id, random.below(4) === 0 ? SIGKILL : 0) : this.#foreground(id)),
    ];
    return (kinds[random.below(kinds.length)] ?? kinds[0])?.().finish() ?? Buffer.alloc(0);
  }

  #id(): string {
    return `${this.#prefix}-${this.#random.below(6)}`;
  }

  #foreground(id: string): FrameWriter {
    return new FrameWriter(REQUEST.foreground)
      .u32(++this.#request)
      .u32(0)
      .text(id);
  }

  /** It sends ADOPT of the ids that other frames reserve. */
  #startForker(id: string): FrameWriter {
    return forkerFrame(id, this.#random, this.#prefix, this.#forker);
  }

  #reserve(forker: string): FrameWriter {
    const frame = new FrameWriter(REQUEST.reserve)
      .text(forker)
      .text(this.#id())
      .flag(this.#random.below(2) === 0);
    return frame.u64(1000).u32(1000).u32(this.#random.below(50)).text('r');
  }

  #signal(id: string, signal: number): FrameWriter {
    const frame = new FrameWriter(REQUEST.signal)
      .u32(++this.#request)
      .u32(signal)
      .u32(1);
    return frame.text(id).u32(0).flag(false).account(undefined);
  }
}

function forkerFrame(id: string, random: SeededRandom, prefix: string, file: string): FrameWriter {
  return startFrame(id, '', { file, args: ['fuzz-forker', prefix, `${random.below(2 ** 31)}`], forks: true });
}

/** Starts a forker for which all ids are reserved that it names; resolves at its end. */
async function handOver(client: RawClient, random: SeededRandom, prefix: string, file: string): Promise<void> {
  const id = `${prefix}-forker`;
  client.send(forkerFrame(id, random, prefix, file));
  for (let number = 0; number < 6; number++) {
    const frame = new FrameWriter(REQUEST.reserve)
      .text(id)
      .text(`${prefix}-${number}`)
      .flag(random.below(4) === 0);
    client.send(frame.u64(1000).u32(1000).u32(60_000).text('r'));
  }
  await client.ended(id);
}

/** Runs forkers; answers how many processes the keeper took over, which still works. */
async function handOverAll(keeper: RunningKeeper, random: SeededRandom, prefix: string, file: string): Promise<number> {
  await using client = await RawClient.open(keeper.socket);
  await client.until(EVENT.synced);
  for (let count = 0; count < FORKERS; count++) await handOver(client, random, `${prefix}-${count}`, file);
  client.send(new FrameWriter(REQUEST.figures).u32(1));
  const figures = await client.until(EVENT.figures);
  figures.u32();
  const values = Array.from({ length: figures.u8() }, () => figures.u64());
  client.send(startFrame('after', 'exit 7'));
  expect(await client.ended('after')).toMatchObject({ exitCode: 7 });
  expect(keeper.said).toBe('');
  return Number(values[ADOPTED_FIGURE]);
}

describe.runIf(sanitizedProgram !== undefined && compiles)('random sequences of frames', () => {
  test('10,000 of valid and invalid frames and ADOPT packets, cut anywhere, end connections and nothing else', async () => {
    using builds = new FixtureBuilds();
    const forker = builds.of('fuzz-forker');
    let adopted = 0;
    const random = new SeededRandom('10,000 sequences of frames');
    for (let first = 0; first < SEQUENCES; first += IN_A_ROW) {
      await using keeper = await RunningKeeper.start(sanitizedProgram ?? '');
      const source = new FrameSource(random, `fuzz-${process.pid}-${first}`, forker);
      for (let count = 0; count < IN_A_ROW; count++) {
        const socket = (await keeper.connect()).on('error', () => {}).resume();
        const closed = once(socket, 'close');
        const frames = Array.from({ length: 1 + random.below(8) }, () => source.next());
        const bytes = Buffer.concat([new FrameWriter(REQUEST.hello).u32(KEEPER_VERSION).finish(), ...frames]);
        socket.end(random.below(4) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes);
        if (random.below(2) === 0) socket.destroy();
        await closed;
      }
      expect(keeper.said).toBe('');
      expect(keeper.alive).toBe(true);
      adopted += await handOverAll(keeper, random, `adopt-${process.pid}-${first}`, forker);
    }
    // Not all packets are refused.
    expect(adopted).toBeGreaterThan(0);
  }, 600_000);
});
