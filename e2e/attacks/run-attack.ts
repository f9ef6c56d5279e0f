import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { archive } from '../../daemon/src/capabilities/files/tree.fixture.ts';
import { Patience } from '../../scripts/testing/patience.ts';
import { type TempDir, tempDir } from '../../scripts/testing/temp-dir.ts';
import { APPLICATIONS } from './applications.ts';
import type {
  ApplicationAttack,
  ArchiveAttack,
  Attack,
  BrowserAttack,
  BytesAttack,
  CallAttack,
  UpstreamAttack,
  WorkerAttack,
} from './attack.ts';
import { type HostileServers, WORKER_ID } from './hostile-servers.ts';
import { UPSTREAMS } from './upstreams.ts';
import { WORKERS } from './workers.ts';

/** When an attacker takes what it has got: on a busy machine later, and in the end. */
const PATIENCE = { ms: 60_000, longestMs: 600_000 };

const KEY_LINE = 'X-API-Key: KEY\r\n';
const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const UPLOAD = 'Content-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n';

export interface Targets {
  readonly gatewayPort: number;
  readonly daemonPort: number;
  /** Undefined: the services are open. */
  readonly key: string | undefined;
  readonly servers: HostileServers;
}

/** Runs attacks; holds the application that answers with raw bytes. */
export class Attacker implements AsyncDisposable {
  readonly #targets: Targets;
  readonly #application: Server;
  readonly #directory: TempDir;
  #count = 0;

  private constructor(targets: Targets, application: Server, directory: TempDir) {
    this.#targets = targets;
    this.#application = application;
    this.#directory = directory;
  }

  static async start(targets: Targets): Promise<Attacker> {
    const application = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (head: Buffer) => {
        const found = /^\w+ \/(\d+)/.exec(String(head))?.[1];
        socket.end(Buffer.from(APPLICATIONS[Number(found)]?.answer ?? '', 'latin1'));
      });
    });
    application.listen(0, '127.0.0.1');
    await once(application, 'listening');
    return new Attacker(targets, application, await tempDir());
  }

  /** @returns what is wrong with the answers; empty if nothing is */
  async run(attack: Attack): Promise<string[]> {
    if (attack.kind === 'bytes') return this.#sendBytes(attack);
    if (attack.kind === 'application') return this.#askApplication(attack);
    if (attack.kind === 'archive') return this.#import(attack);
    if (attack.kind === 'browser') return this.#targets.servers.asBrowser(attack, () => this.#useBrowser(attack));
    if (attack.kind === 'upstream') return this.#useTool(attack);
    if (attack.kind === 'worker') return this.#useDesktop(attack);
    return this.#call(attack);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#application.close();
    await this.#directory[Symbol.asyncDispose]();
  }

  async #sendBytes({ name, send, halfClose = false, gets, to }: BytesAttack): Promise<string[]> {
    const { gatewayPort, daemonPort } = this.#targets;
    const ports = { gateway: [gatewayPort], daemon: [daemonPort], both: [gatewayPort, daemonPort] }[to ?? 'both'];
    const text = send.replaceAll(KEY_LINE, this.#credential);
    const answers = await Promise.all(ports.map((port) => talk(port, text, { halfClose, gets })));
    return answers.filter((answer) => !gets.test(answer)).map((answer) => fault(name, answer, gets));
  }

  async #askApplication(attack: ApplicationAttack): Promise<string[]> {
    const { gatewayPort } = this.#targets;
    const { port } = this.#application.address() as AddressInfo;
    const method = attack.request === 'upload' ? 'PUT' : 'GET';
    const fields = { upload: UPLOAD, upgrade: UPGRADE, plain: 'Connection: close\r\n' }[attack.request ?? 'plain'];
    const path = `/proxy/${port}/${APPLICATIONS.indexOf(attack)}`;
    const body = attack.request === 'upload' ? 'hello' : '';
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${this.#credential}${fields}\r\n`;
    const text = await talk(gatewayPort, head + body, { halfClose: false, gets: attack.gets });
    return attack.gets.test(text) ? [] : [fault(attack.name, text, attack.gets)];
  }

  async #import({ name, entries, statuses }: ArchiveAttack): Promise<string[]> {
    const path = encodeURIComponent(join(this.#directory.path, `tree-${this.#count++}`));
    const { status } = await this.#request(`/v2/fs/tree?path=${path}`, {
      method: 'PUT',
      body: archive(...entries),
      headers: { 'content-type': 'application/x-tar' },
    });
    return statuses.includes(status) ? [] : [fault(name, String(status), statuses)];
  }

  async #call(attack: CallAttack, headers: Readonly<Record<string, string>> = {}): Promise<string[]> {
    const { name, method = 'POST', path, body, times = 1, statuses, mustFail = false } = attack;
    const text = typeof body === 'string' ? body : JSON.stringify(body)?.replaceAll('DIR', this.#directory.path);
    const init = { method, headers, ...(text !== undefined && { body: text }) };
    const got = await Promise.all(Array.from({ length: times }, () => this.#request(path, init)));
    const isWrong = ({ status, text: said }: { status: number; text: string }): boolean =>
      !statuses.includes(status) || (mustFail && status === 200 && !said.includes('"success":false'));
    return got.filter(isWrong).map(({ status, text: said }) => fault(name, `${status} ${said}`, statuses));
  }

  #useBrowser({ kind: _, discovery: _discovery, reply: _reply, ...call }: BrowserAttack): Promise<string[]> {
    return this.#call({ kind: 'call', ...call });
  }

  #useDesktop(attack: WorkerAttack): Promise<string[]> {
    const { kind: _, answer: _answer, ...call } = attack;
    return this.#call({ kind: 'call', ...call }, { 'x-request-id': `${WORKER_ID}${WORKERS.indexOf(attack)}` });
  }

  async #useTool(attack: UpstreamAttack): Promise<string[]> {
    const { name, call, gets } = attack;
    const params = { name: `u${UPSTREAMS.indexOf(attack)}_x`, arguments: {} };
    const message = call ? { method: 'tools/call', params } : { method: 'tools/list' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
    const { text } = await this.#request('/mcp', { method: 'POST', body });
    return gets.test(text) ? [] : [fault(name, text, gets)];
  }

  /** The header line with the key; empty if the services are open. */
  get #credential(): string {
    const { key } = this.#targets;
    return key === undefined ? '' : `X-API-Key: ${key}\r\n`;
  }

  async #request(path: string, init: RequestInit): Promise<{ status: number; text: string }> {
    const { gatewayPort, key } = this.#targets;
    const headers = { ...init.headers, ...(key !== undefined && { 'x-api-key': key }) };
    using patience = new Patience(PATIENCE);
    const { signal } = patience;
    try {
      const answer = await fetch(`http://127.0.0.1:${gatewayPort}${path}`, { ...init, headers, signal });
      return { status: answer.status, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
    } catch (error) {
      return { status: 0, text: String(error) };
    }
  }
}

/** Sends bytes; resolves with the answer at the end of the connection, or when it is the one that is expected. */
async function talk(
  port: number,
  send: string,
  { halfClose, gets }: { halfClose: boolean; gets: RegExp },
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1');
  const { promise, resolve } = Promise.withResolvers<void>();
  using patience = new Patience(PATIENCE);
  patience.signal.addEventListener('abort', () => resolve());
  const pieces: string[] = [];
  socket.on('error', () => {});
  socket.on('end', resolve).on('close', resolve);
  socket.on('data', (piece: string) => {
    pieces.push(piece);
    if (gets.test(finalOf(pieces))) resolve();
  });
  if (halfClose) socket.end(send, 'latin1');
  else socket.write(send, 'latin1');
  await promise;
  socket.destroy();
  return finalOf(pieces);
}

/** Without the interim responses to a client that has ended its half. */
function finalOf(pieces: readonly string[]): string {
  return pieces.join('').replaceAll('HTTP/1.1 102 Processing\r\n\r\n', '');
}

function fault(name: string, got: string, expected: unknown): string {
  return `${name}: got ${JSON.stringify(got.slice(0, 300))}, expected ${String(expected)}`;
}
