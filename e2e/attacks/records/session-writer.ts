import type { KilledDaemon } from './killed-daemon.ts';
import type { Surroundings, Writer } from './writer.ts';

/** Sessions that each client has at once. */
const KEPT = 2;

/** Sessions by name: what was made is there, what was closed is gone. `use` is called with each that was made. */
class NamedWriter implements Writer {
  readonly #with: Surroundings;
  readonly #kind: string;
  readonly #path: string;
  readonly #use: (id: string) => Promise<void>;
  readonly #rest: object;
  readonly #open: string[] = [];
  #closed: string[] = [];
  /** Cut while it was made or closed: either is right. */
  readonly #unknown: string[] = [];
  #count = 0;

  constructor(
    surroundings: Surroundings,
    kind: string,
    path: string,
    use: (id: string) => Promise<void>,
    rest: object = {},
  ) {
    this.#with = surroundings;
    this.#kind = kind;
    this.#path = path;
    this.#use = use;
    this.#rest = rest;
  }

  async act(): Promise<void> {
    if (this.#open.length < KEPT) await this.#make();
    else await this.#close(this.#open.shift() ?? '');
  }

  async settle(): Promise<void> {
    for (const id of this.#open) await this.#expect(id, 200);
    for (const id of this.#closed) await this.#expect(id, 404);
    this.#closed = [];
  }

  async finish(): Promise<void> {
    await this.settle();
    for (const id of [...this.#open, ...this.#unknown]) {
      await this.#with.daemon.ask(`${this.#path}/${id}`, { method: 'DELETE', statuses: [404] });
    }
  }

  async #make(): Promise<void> {
    const { daemon, ledger, name } = this.#with;
    const id = `${name}-${this.#kind}-${this.#count++}`;
    const outcome = await daemon.call(this.#path, { body: { session_id: id, ...this.#rest } });
    if (outcome.kind === 'cut') this.#unknown.push(id);
    if (outcome.kind === 'refused') this.#closed.push(id);
    if (outcome.kind !== 'taken') return;
    ledger.acknowledge(this.#kind);
    this.#open.push(id);
    await this.#use(id);
  }

  async #close(id: string): Promise<void> {
    const { daemon, ledger } = this.#with;
    const outcome = await daemon.call(`${this.#path}/${id}`, { method: 'DELETE' });
    if (outcome.kind === 'cut') this.#unknown.push(id);
    if (outcome.kind === 'refused') this.#open.push(id);
    if (outcome.kind !== 'taken') return;
    ledger.acknowledge(this.#kind);
    this.#closed.push(id);
  }

  async #expect(id: string, status: number): Promise<void> {
    const answer = await this.#with.daemon.ask(`${this.#path}/${id}`, { statuses: [404] });
    if (answer.status !== status) this.#with.ledger.fault(`${this.#path}/${id} is ${answer.status}, not ${status}`);
  }
}

export function commandSessions(surroundings: Surroundings): Writer {
  return new NamedWriter(surroundings, 'sessions', '/v2/commands/sessions', async () => {});
}

export function terminals(surroundings: Surroundings): Writer {
  const { daemon, ledger, ran, name } = surroundings;
  const use = async (id: string): Promise<void> => {
    const token = ledger.token();
    const body = { command: `echo ${token} >> ${ran}`, async: true };
    const outcome = await daemon.call(`/v2/pty/sessions/${id}/exec`, { body });
    if (outcome.kind === 'refused') ledger.refuse(token);
    if (outcome.kind !== 'taken') return;
    ledger.acknowledge('lines of terminals', token);
    await idle(daemon, id, () => ledger.fault(`${name}: the line of terminal ${id} does not end`));
  };
  return new NamedWriter(surroundings, 'terminals', '/v2/pty/sessions', use, {
    command: 'bash',
    args: ['--norc', '--noprofile'],
  });
}

/** Waits until the line has been run, so that closing the terminal does not end it. */
async function idle(daemon: KilledDaemon, id: string, fault: () => void): Promise<void> {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    const { status, data } = await daemon.ask(`/v2/pty/sessions/${id}`, { statuses: [404] });
    if (status !== 200 || data.current_command === null) return;
  }
  fault();
}
