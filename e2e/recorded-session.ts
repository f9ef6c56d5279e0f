import { expect } from 'vitest';
import { WebSocket } from 'ws';

/** Lines of the large file: 50 MB, and 56 MB on a terminal. */
const LINES = 6_400_000;

/** Where the session runs, and how it is reached. */
export interface Place {
  /** Of the gateway. */
  readonly url: string;
  readonly key: string;
  /** A directory there that the session may write into. */
  readonly directory: string;
  /** What lies in a file there. */
  readonly read: (path: string) => Promise<Buffer>;
}

/** A program that takes the whole screen. */
export interface ScreenProgram {
  readonly command: string;
  /** Stands on the screen once it is there. */
  readonly shows: string;
  /** What is typed then; it ends the program. */
  readonly keys: readonly string[];
}

/** Every byte that one viewer was sent. */
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

  told(type: string): Promise<void> {
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
 * Drives programs and a file of 50 MB through one session that script(1) records, with two viewers, one of which reads
 * nothing until all is over; both must have got what was recorded.
 */
export async function followRecorded({ url, key, directory, read }: Place, programs: readonly ScreenProgram[]) {
  const headers = { 'x-api-key': key };
  const record = `${directory}/typescript`;
  // The shell between script and bash takes PS1 for its own and drops it.
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
  await Promise.all([quick.shows('$ '), stalled.shows('$ ')]);
  stalled.socket.pause();
  for (const { command, shows, keys } of programs) {
    quick.socket.send(Buffer.from(`${command}\r`));
    await expect.poll(screen).toMatchObject({ alternate_screen: true, output: expect.stringContaining(shows) });
    for (const pressed of keys) quick.socket.send(Buffer.from(pressed));
    await expect.poll(screen).toMatchObject({ alternate_screen: false });
  }
  quick.socket.send(Buffer.from(`seq ${LINES} > ${directory}/large; cat ${directory}/large; echo all""over\r`));
  await quick.shows('allover');
  quick.socket.send(Buffer.from('exit\r'));
  await quick.told('exit');
  stalled.socket.resume();
  await stalled.told('exit');
  await stalled.told('relay_resumed');
  const whole = await read(record);
  const recorded = whole.subarray(whole.indexOf('\n') + 1, whole.lastIndexOf('\nScript done'));
  expect(recorded.length).toBeGreaterThan(50_000_000);
  for (const viewer of [quick, stalled]) {
    expect(viewer.bytes.length).toBe(recorded.length);
    expect(viewer.bytes.equals(recorded)).toBe(true);
  }
}
