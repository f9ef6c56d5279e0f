import type { KilledDaemon } from './killed-daemon.ts';
import type { Surroundings, Writer } from './writer.ts';

/** What a writer makes. */
interface Kind {
  readonly name: string;
  readonly path: string;
  /** Number that each client has at once. */
  readonly kept: number;
  /** More fields of the call that makes one. */
  readonly rest?: object;
}

/** Sessions by name: what was made is there, what was closed is gone. `use` is called with each that was made. */
class NamedWriter implements Writer {
  readonly #with: Surroundings;
  readonly #kind: Kind;
  readonly #use: (id: string) => Promise<void>;
  readonly #open: string[] = [];
  #closed: string[] = [];
  /** Cut while it was made or closed: either is right. */
  readonly #unknown: string[] = [];
  #count = 0;

  constructor(surroundings: Surroundings, kind: Kind, use: (id: string) => Promise<void> = async () => {}) {
    this.#with = surroundings;
    this.#kind = kind;
    this.#use = use;
  }

  async act(): Promise<void> {
    if (this.#open.length < this.#kind.kept) await this.#make();
    else await this.#close(this.#open.shift() ?? '');
  }

  async settle(): Promise<void> {
    for (const id of this.#unknown.splice(0)) {
      await this.#with.daemon.ask(`${this.#kind.path}/${id}`, { method: 'DELETE', statuses: [404] });
      this.#closed.push(id);
    }
    for (const id of this.#open) await this.#expect(id, 200);
    for (const id of this.#closed) await this.#expect(id, 404);
    this.#closed = [];
  }

  async finish(): Promise<void> {
    await this.settle();
    for (const id of this.#open) {
      await this.#with.daemon.ask(`${this.#kind.path}/${id}`, { method: 'DELETE', statuses: [404] });
    }
  }

  async #make(): Promise<void> {
    const { daemon, ledger, name } = this.#with;
    const id = `${name}-${this.#kind.name}-${this.#count++}`;
    const outcome = await daemon.call(this.#kind.path, { body: { session_id: id, ...this.#kind.rest } });
    if (outcome.kind === 'cut') this.#unknown.push(id);
    if (outcome.kind === 'refused') this.#closed.push(id);
    if (outcome.kind !== 'taken') return;
    ledger.acknowledge(this.#kind.name);
    this.#open.push(id);
    await this.#use(id);
  }

  async #close(id: string): Promise<void> {
    const { daemon, ledger } = this.#with;
    const outcome = await daemon.call(`${this.#kind.path}/${id}`, { method: 'DELETE' });
    if (outcome.kind === 'cut') this.#unknown.push(id);
    if (outcome.kind === 'refused') this.#open.push(id);
    if (outcome.kind !== 'taken') return;
    ledger.acknowledge(this.#kind.name);
    this.#closed.push(id);
  }

  async #expect(id: string, status: number): Promise<void> {
    const answer = await this.#with.daemon.ask(`${this.#kind.path}/${id}`, { statuses: [404] });
    if (answer.status !== status)
      this.#with.ledger.fault(`${this.#kind.path}/${id} is ${answer.status}, not ${status}`);
  }
}

export function commandSessions(surroundings: Surroundings): Writer {
  return new NamedWriter(surroundings, { name: 'sessions', path: '/v2/commands/sessions', kept: 2 });
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
  const rest = { command: 'bash', args: ['--norc', '--noprofile'] };
  return new NamedWriter(surroundings, { name: 'terminals', path: '/v2/pty/sessions', kept: 1, rest }, use);
}

/** Waits until the line has been run, so that closing the terminal does not end it. */
async function idle(daemon: KilledDaemon, id: string, fault: () => void): Promise<void> {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    const { status, data } = await daemon.ask(`/v2/pty/sessions/${id}`, { statuses: [404] });
    if (status !== 200 || data.current_command === null) return;
  }
  fault();
}
