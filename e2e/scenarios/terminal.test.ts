import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Services } from '../services.ts';

/** Output of a terminal and its offset. */
class Viewer implements Disposable {
  readonly socket: WebSocket;
  offset = 0;
  text = '';
  readonly closed: Promise<void>;
  #wake: () => void = () => {};

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('error', () => {});
    this.socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString());
      if (message.type === 'output') this.text += message.data;
      this.offset = message.offset ?? this.offset;
      this.#wake();
    });
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve(this.#wake())));
  }

  async shows(text: string): Promise<void> {
    while (!this.text.includes(text)) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed before ${text}: ${this.text}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}

test('a terminal works through the gateway, and resumes after the daemon was killed', async () => {
  await using services = await Services.start({ SVC_API_KEY: 'the-key' });
  const call = async (path: string, body?: object) => {
    const answer = await fetch(services.url + path, {
      headers: { 'x-api-key': 'the-key' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return ((await answer.json()) as { data: { output: string } }).data;
  };
  const bare = { id: 'a', command: 'bash', args: ['--norc', '--noprofile'] };
  const socket = `${services.url.replace('http', 'ws')}/v2/pty/sessions/a/ws?api_key=the-key`;
  await call('/v2/pty/sessions', bare);
  using first = new Viewer(socket);
  first.socket.once('open', () => first.socket.send('echo list""ening; read -r x; echo "got $x"\r'));
  // Input that arrives while the shell still edits its command line would not reach `read`.
  await first.shows('listening');
  expect((await call('/v2/pty/sessions/a/screen')).output).toContain('read -r x');
  await services.stopDaemon('SIGKILL');
  await first.closed;
  await services.startDaemon();
  using second = new Viewer(`${socket}&since=${first.offset}`);
  second.socket.once('open', () => second.socket.send('back again\r'));
  await second.shows('got back again');
  expect((await call('/v2/pty/sessions/a/exec', { command: 'echo and on' })).output).toBe('and on\n');
  expect((await call('/v2/pty/sessions/a/screen')).output).toMatch(/read -r x[\s\S]*got back again[\s\S]*and on/);
  const page = await fetch(`${services.url}/terminal/`, { headers: { 'x-api-key': 'the-key' } });
  expect(await page.text()).toContain('terminal.js');
});
