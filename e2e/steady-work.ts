import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';

const COMMANDS = 20;
const TERMINALS = 10;

/** Where work is started. */
interface Workplace {
  /** URL of the gateway. */
  readonly url: string;
  readonly key: string;
  /** A path in the sandbox where nothing is; work ends when a file is there. */
  readonly endFile: string;
}

/** Commands and terminals that print numbered lines until a file exists, and end with exit codes of their own. */
export class SteadyWork {
  readonly #place: Workplace;
  readonly #commands: string[] = [];

  private constructor(place: Workplace) {
    this.#place = place;
  }

  static async start(place: Workplace): Promise<SteadyWork> {
    const work = new SteadyWork(place);
    for (let code = 1; code <= COMMANDS; code += 1) {
      const { command_id } = await work.#call('/v2/commands', { command: work.#script(code, 1), mode: 'async' });
      work.#commands.push(String(command_id));
    }
    for (let code = 1; code <= TERMINALS; code += 1) {
      // The output of a terminal is one stream.
      const args = ['-c', work.#script(code, 0)];
      await work.#call('/v2/pty/sessions', { id: `steady-${code}`, command: 'bash', args });
    }
    return work;
  }

  /** Checks every byte and every exit code, once the file is there. */
  async check(): Promise<void> {
    for (const [index, id] of this.#commands.entries()) {
      const record = async (): Promise<unknown> =>
        (await this.#call(`/v2/commands/${id}?limit=0&wait=true&wait_timeout=5&offset=100000000`))['command'];
      await expect.poll(record).toMatchObject({ status: 'completed', exit_code: index + 1 });
      const [out, err] = [await this.#bytes(id, 'stdout'), await this.#bytes(id, 'stderr')];
      expectWhole(out, 'out');
      expect(err).toBe(out.replaceAll('out', 'err').replace(/^end .*\n$/m, ''));
    }
    for (let code = 1; code <= TERMINALS; code += 1) {
      const path = `/v2/pty/sessions/steady-${code}`;
      await expect.poll(() => this.#call(path)).toMatchObject({ status: 'exited', exit_code: code });
      expectWhole((await this.#history(path)).replaceAll('\r\n', '\n'), 'out');
    }
  }

  #script(code: number, errors: 0 | 1): string {
    const loud = errors === 1 ? 'echo "err $n" >&2;' : '';
    // Reading from a pipe to which nothing is written waits without a process, other than sleep(1).
    return `n=0; exec {idle}<> <(:)
      until [ -e ${this.#place.endFile} ]; do n=$((n + 1)); echo "out $n"; ${loud} read -rt 0.2 -u $idle; done
      echo "end $n"; exit ${code}`;
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const { url, key } = this.#place;
    const answer = await fetch(url + path, { ...init, headers: { ...init.headers, 'x-api-key': key } });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async #call(path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#fetch(path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : {});
    return ((await answer.json()) as { data: Record<string, unknown> }).data;
  }

  async #bytes(id: string, channel: string): Promise<string> {
    const headers = { accept: 'application/octet-stream' };
    return (await this.#fetch(`/v2/commands/${id}?channel=${channel}`, { headers })).text();
  }

  /** Every byte of a terminal that has ended. */
  async #history(path: string): Promise<string> {
    const { url, key } = this.#place;
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}/ws?protocol=binary&since=0`, {
      headers: { 'x-api-key': key },
    });
    const parts: Buffer[] = [];
    socket.on('message', (data: Buffer, isBinary) => void (isBinary && parts.push(data)));
    await once(socket, 'close');
    return Buffer.concat(parts).toString('latin1');
  }
}

/** Checks that numbered lines are all there, in order and once, up to the number in the last line. */
function expectWhole(output: string, word: string): void {
  const count = Number(/^end (\d+)$/m.exec(output)?.[1]);
  expect(count).toBeGreaterThan(10);
  const lines = Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`);
  expect(output).toBe(`${lines.join('')}end ${count}\n`);
}
