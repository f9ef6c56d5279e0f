import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sanitizedProgram } from './keeper.fixture.ts';
import { type FrameReader, FrameSplitter, FrameWriter } from './keeper-frames.ts';

const ADD = 32;
const REMOVE = 33;
const ADDED = 96;
const EVENT = 97;
/** inotify(7) */
const IN = { movedFrom: 0x40, movedTo: 0x80, create: 0x100, ignored: 0x8000 };

/** `keeper-watch` of a directory of its own. */
class Watcher implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'keeper-watch-'));
  readonly #child = spawn(`${sanitizedProgram}-watch`, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  readonly #exited = once(this.#child, 'exit');
  readonly #frames: FrameReader[] = [];
  #wake: () => void = () => {};

  constructor() {
    const splitter = new FrameSplitter();
    this.#child.stdout.on('data', (chunk) => {
      this.#frames.push(...splitter.push(chunk));
      this.#wake();
    });
  }

  async add(path: string, mask: number): Promise<{ watch: number; errno: number }> {
    this.send(new FrameWriter(ADD).u32(7).u32(mask).text(path));
    const frame = await this.next();
    expect([frame.type, frame.u32()]).toEqual([ADDED, 7]);
    return { watch: frame.u32(), errno: frame.u32() };
  }

  async event(): Promise<{ watch: number; mask: number; cookie: number; name: string }> {
    const frame = await this.next();
    expect(frame.type).toBe(EVENT);
    return { watch: frame.u32(), mask: frame.u32(), cookie: frame.u32(), name: frame.text() };
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  send(frame: FrameWriter): void {
    this.#child.stdin.write(frame.finish());
  }

  async next(): Promise<FrameReader> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) return frame;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async end(): Promise<number> {
    this.#child.stdin.end();
    return (await this.#exited)[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.directory, { recursive: true });
  }
}

if (sanitizedProgram === undefined) process.stderr.write('not tested: keeper-watch, no keeper-sanitized\n');

test.runIf(sanitizedProgram !== undefined)('a rename comes as two events with one cookie', async () => {
  await using watcher = new Watcher();
  const { watch } = await watcher.add(watcher.directory, IN.movedFrom | IN.movedTo | IN.create);
  expect(watch).toBeGreaterThan(0);
  writeFileSync(join(watcher.directory, 'ä'), '');
  expect(await watcher.event()).toEqual({ watch, mask: IN.create, cookie: 0, name: 'ä' });
  renameSync(join(watcher.directory, 'ä'), join(watcher.directory, 'b'));
  const from = await watcher.event();
  expect(from).toMatchObject({ watch, mask: IN.movedFrom });
  expect(from.cookie).not.toBe(0);
  expect(await watcher.event()).toEqual({ watch, mask: IN.movedTo, cookie: from.cookie, name: 'b' });
  watcher.send(new FrameWriter(REMOVE).u32(watch));
  expect(await watcher.event()).toMatchObject({ watch, mask: IN.ignored });
});

test.runIf(sanitizedProgram !== undefined)('every earlier event is sent before a request is answered', async () => {
  await using watcher = new Watcher();
  await watcher.add(watcher.directory, IN.create);
  watcher.signal('SIGSTOP');
  const count = 3000;
  for (let file = 0; file < count; file += 1) writeFileSync(join(watcher.directory, `${file}`), '');
  watcher.send(new FrameWriter(ADD).u32(9).u32(IN.create).text(''));
  watcher.signal('SIGCONT');
  for (let file = 0; file < count; file += 1) expect((await watcher.event()).name).toBe(`${file}`);
  const answer = await watcher.next();
  expect([answer.type, answer.u32(), answer.u32(), answer.u32()]).toEqual([ADDED, 9, 0, 2]);
});

test.runIf(sanitizedProgram !== undefined)(
  'what cannot be watched says why, and the end of stdin ends it',
  async () => {
    await using watcher = new Watcher();
    expect(await watcher.add('/no/such/place', IN.create)).toEqual({ watch: 0, errno: 2 });
    expect(await watcher.end()).toBe(0);
  },
);
