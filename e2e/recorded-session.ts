import { expect } from 'vitest';
import { WebSocket } from 'ws';

/** Lines of the large file: 50 MB as a file, 56 MB on a terminal. */
const LINES = 6_400_000;

/** Address of the service, and access to its files. */
export interface Place {
  /** URL of the gateway. */
  readonly url: string;
  readonly key: string;
  /** A directory of the sandbox that the session can write to. */
  readonly directory: string;
  /** Reads a file of the sandbox. */
  readonly read: (path: string) => Promise<Buffer>;
}

/** A full-screen program. */
export interface ScreenProgram {
  readonly command: string;
  /** Text on the screen when the program is ready. */
  readonly shows: string;
  /** Keys that are typed then; the last one ends the program. */
  readonly keys: readonly string[];
}

/** A viewer that records every byte it receives. */
class Viewer implements Disposable {
  readonly socket: WebSocket;
  readonly #parts: Buffer[] = [];
  readonly #types = new Set<string>();
  #tail = '';
  #wake: () => void = () => {};

  constructor(url: string) {
    this.socket = new WebSocket(url, { perMessageDeflate: false });
    this.socket.on('error', () => {});
    this.socket.on('close', () => this.#wake());
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) this.#types.add(JSON.parse(data.toString()).type);
      else this.#parts.push(data);
      if (isBinary) this.#tail = (this.#tail + data.toString('latin1')).slice(-100_000);
      this.#wake();
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  shows(text: string): Promise<void> {
    return this.#until(() => this.#tail.includes(text), text);
  }

  message(type: string): Promise<void> {
    return this.#until(() => this.#types.has(type), type);
  }

  async #until(met: () => boolean, what: string): Promise<void> {
    while (!met()) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed before ${what}: ${this.#tail}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}

/**
 * Runs programs and prints a file of 50 MB in one session that script(1) records, with three viewers, one of which does
 * not read until the end and one of which sends `pause`; all must receive exactly the recorded bytes.
 */
export async function followRecorded({ url, key, directory, read }: Place, programs: readonly ScreenProgram[]) {
  const headers = { 'x-api-key': key };
  const record = `${directory}/typescript`;
  // The shell between script and bash consumes PS1, so it is set for bash here.
  const args = ['-q', '-f', '-c', "PS1='$ ' exec bash --norc --noprofile", record];
  const session = { id: 'recorded', command: 'script', args, cols: 100, rows: 30 };
  const made = await fetch(`${url}/v2/pty/sessions`, { method: 'POST', headers, body: JSON.stringify(session) });
  expect([made.status, await made.text()]).toEqual([200, expect.any(String)]);
  const screen = async (): Promise<{ output: string; alternate_screen: boolean }> => {
    const answer = await fetch(`${url}/v2/pty/sessions/recorded/screen`, { headers });
    return ((await answer.json()) as { data: { output: string; alternate_screen: boolean } }).data;
  };
  const socket = `${url.replace('http', 'ws')}/v2/pty/sessions/recorded/ws?protocol=binary&api_key=${key}`;
  using quick = new Viewer(socket);
  using stalled = new Viewer(socket);
  using paused = new Viewer(socket);
  await Promise.all([quick, stalled, paused].map((viewer) => viewer.shows('$ ')));
  stalled.socket.pause();
  paused.socket.send(JSON.stringify({ type: 'pause' }));
  for (const { command, shows, keys } of programs) {
    quick.socket.send(Buffer.from(`${command}\r`));
    await expect.poll(screen).toMatchObject({ alternate_screen: true, output: expect.stringContaining(shows) });
    for (const pressed of keys) quick.socket.send(Buffer.from(pressed));
    await expect.poll(screen).toMatchObject({ alternate_screen: false });
  }
  quick.socket.send(Buffer.from(`seq ${LINES} > ${directory}/large; cat ${directory}/large; echo all""over\r`));
  await quick.shows('allover');
  quick.socket.send(Buffer.from('exit\r'));
  await quick.message('exit');
  stalled.socket.resume();
  paused.socket.send(JSON.stringify({ type: 'resume' }));
  await Promise.all([stalled.message('exit'), paused.message('exit')]);
  // The buffers of the kernel may hold all of it for a viewer that does not read, but nothing is sent to a paused one.
  await paused.message('relay_resumed');
  const whole = await read(record);
  const recorded = whole.subarray(whole.indexOf('\n') + 1, whole.lastIndexOf('\nScript done'));
  expect(recorded.length).toBeGreaterThan(50_000_000);
  for (const viewer of [quick, stalled, paused]) {
    expect(viewer.bytes.length).toBe(recorded.length);
    expect(viewer.bytes.equals(recorded)).toBe(true);
  }
}
