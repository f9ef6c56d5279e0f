import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { findTool } from '../../core/tool-path.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { BARE, create } from './pty.fixture.ts';

/** Milliseconds between SIGHUP and SIGKILL (docs/contract.md §4). */
const GRACE_MS = 2000;
/** Milliseconds allowed past the grace, beside the time that this machine needs to close a session by SIGHUP. */
const LATE_MS = 1500;

const hasTmux = findTool('tmux') !== undefined;
if (!hasTmux) process.stderr.write('not tested: the closing of terminals held by tmux, which is not installed\n');

/** Times at which processes reported `NAME up` and `NAME hup` over a connection each, and were `NAME gone`. */
class Reports implements AsyncDisposable {
  readonly at = new Map<string, number>();
  readonly #server = createServer((socket) => this.#follow(socket));

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Milliseconds between `begun` and the end of the process. */
  goneAfter(name: string, begun: number | undefined): number {
    return (this.at.get(`${name} gone`) ?? Number.NaN) - (begun ?? Number.NaN);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }

  #follow(socket: Socket): void {
    let name = '';
    createInterface({ input: socket }).on('line', (line) => {
      [name = ''] = line.split(' ');
      this.at.set(line, performance.now());
    });
    socket.on('close', () => this.at.set(`${name} gone`, performance.now()));
  }
}

/** Processes that report SIGHUP and do not end: a shell, a child in its group, and one in a group of its own. */
const NAMES = ['shell', 'child', 'job'];
const stubborn = (port: number): string => `
  stay() {
    exec 3<>/dev/tcp/127.0.0.1/${port}
    trap "echo $1 hup >&3" HUP
    echo "$1 up" >&3
    while :; do sleep 1 3>&-; done
  }
  stay child &
  set -m
  stay job &
  stay shell`;

async function close(daemon: TestApp, id: string): Promise<number> {
  const begun = performance.now();
  const { statusCode, body } = await daemon.inject({ method: 'DELETE', url: `/v2/pty/sessions/${id}` });
  if (statusCode !== 200) throw new Error(`${statusCode}: ${body}`);
  return performance.now() - begun;
}

/** Milliseconds of the slowest closing by SIGHUP while another session is being closed. */
async function slowestMeanwhile(daemon: TestApp, closing: Promise<unknown>): Promise<number> {
  let over = false;
  void closing.finally(() => {
    over = true;
  });
  let slowest = 0;
  for (let i = 0; !over; i += 1) {
    await create(daemon, `quick-${i}`);
    slowest = Math.max(slowest, await close(daemon, `quick-${i}`));
  }
  return slowest;
}

describeOnHosts('closing', () => {
  for (const [shellBackend, there] of [
    ['native', true],
    ['tmux', hasTmux],
  ] as const) {
    test.runIf(there)(
      `[pty.close-kills] ${shellBackend}: SIGHUP is sent first, SIGKILL 2 s later`,
      { concurrent: true },
      async ({ expect }) => {
        await using reports = new Reports();
        const script = stubborn(await reports.listen());
        await using daemon = await TestApp.start({ shellBackend });
        await create(daemon, 'a', { command: 'bash', args: ['-c', script] });
        const reported = (event: string) => NAMES.filter((name) => reports.at.has(`${name} ${event}`));
        await expect.poll(() => reported('up')).toEqual(NAMES);
        const begun = performance.now();
        const closing = close(daemon, 'a');
        const slowness = await slowestMeanwhile(daemon, closing);
        await closing;
        await expect.poll(() => reported('gone')).toEqual(NAMES);
        expect(reported('hup')).toEqual(NAMES);
        for (const name of NAMES) {
          expect(reports.goneAfter(name, begun)).toBeGreaterThanOrEqual(GRACE_MS);
          expect(reports.goneAfter(name, reports.at.get(`${name} hup`))).toBeLessThan(
            GRACE_MS + LATE_MS + 2 * slowness,
          );
        }
      },
    );
  }

  test.concurrent('[pty.idle-expiry] [config.terminals] an idle expiring session is closed after its timeout, a named one stays', async ({
    expect,
  }) => {
    await using daemon = await TestApp.start({ shellSessionTimeout: 1 });
    await create(daemon, 'named');
    const begun = Date.now();
    expect((await daemon.post('/v2/pty/sessions', BARE)).statusCode).toBe(200);
    await create(daemon, 'expiring', { ...BARE, retention: 'expiring' });
    const ids = async () => Object.keys((await daemon.inject('/v2/pty/sessions')).json().data.sessions);
    await expect.poll(async () => (await ids()).length).toBeLessThan(3);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1000);
    await expect.poll(ids).toEqual(['named']);
  });
});
