import type { Surroundings, Writer } from './writer.ts';

interface Start {
  readonly id: string;
  readonly token: string;
  readonly body: object;
}

/** What an execution says whose cell waited, and did not begin because the disk refused its record. */
const NOT_STARTED = '"ename":"NotStarted"';

/** Of what began since the last death, this many are asked for: their programs are counted at the end in any case. */
const ASKED = 4;

/** Commands with an idempotency key: each runs once, even if calls are cut and repeated. */
export class CommandWriter implements Writer {
  readonly #with: Surroundings;
  #started: Start[] = [];
  #pending: Omit<Start, 'id'> | undefined;
  #count = 0;

  constructor(surroundings: Surroundings) {
    this.#with = surroundings;
  }

  async act(): Promise<void> {
    const { daemon, ledger, name, ran, random } = this.#with;
    if (this.#pending === undefined) {
      const token = ledger.token();
      const command = `echo ${token} >> ${ran}${random() < 0.3 ? '; sleep 0.3' : ''}`;
      this.#pending = { token, body: { command, mode: 'async', idempotency_key: `${name}-${this.#count++}` } };
    }
    const outcome = await daemon.call('/v2/commands', { body: this.#pending.body });
    if (outcome.kind === 'cut') return;
    const { token, body } = this.#pending;
    this.#pending = undefined;
    if (outcome.kind === 'refused') return ledger.refuse(token);
    ledger.acknowledge('commands', token);
    this.#started.push({ id: outcome.data.command_id ?? '', token, body });
  }

  async settle(): Promise<void> {
    const { daemon, ledger } = this.#with;
    for (const { id, body } of this.#started.slice(-ASKED)) {
      const { status } = await daemon.ask(`/v2/commands/${id}`);
      if (status !== 200) ledger.fault(`command ${id} was acknowledged and is ${status}`);
      const again = await daemon.ask('/v2/commands', { body });
      if (again.data.command_id !== id) ledger.fault(`the key of ${id} has begun ${again.data.command_id}`);
    }
    this.#started = [];
  }

  finish(): Promise<void> {
    return this.settle();
  }
}

/** Cells without a session, and in one. */
export class CellWriter implements Writer {
  readonly #with: Surroundings;
  readonly #session: string | undefined;
  readonly #isOnSmallDisk: boolean;
  #started: Pick<Start, 'id' | 'token'>[] = [];

  constructor(surroundings: Surroundings, isInSession: boolean) {
    this.#with = surroundings;
    this.#isOnSmallDisk = surroundings.isOnSmallDisk;
    this.#session = isInSession ? `${surroundings.name}-cells` : undefined;
  }

  async act(): Promise<void> {
    const { daemon, ledger, ran } = this.#with;
    const token = ledger.token();
    const session = this.#session === undefined ? {} : { session_id: this.#session };
    const body = { language: 'bash', code: `echo ${token} >> ${ran}`, async: true, ...session };
    const outcome = await daemon.call('/v2/code/execute', { body });
    if (outcome.kind === 'cut') return;
    if (outcome.kind === 'refused') return ledger.refuse(token);
    ledger.acknowledge('cells', token);
    this.#started.push({ id: outcome.data.execution_id ?? '', token });
  }

  async settle(): Promise<void> {
    const { daemon, ledger } = this.#with;
    for (const { id, token } of this.#started) {
      const path = `/v2/code/executions/${id}?wait=true&wait_timeout=30`;
      const { status, data } = await daemon.ask(path, { statuses: [404] });
      const said = data.execution?.status;
      // docs/records.md: a full disk gives up ended executions.
      if (this.#isOnSmallDisk && JSON.stringify(data['outputs'] ?? '').includes(NOT_STARTED)) ledger.refuse(token);
      else if (said === 'lost' || (status === 404 && this.#isOnSmallDisk)) ledger.tell(token);
      else if (said !== 'ok') {
        ledger.fault(`cell ${id} was acknowledged and is ${status} ${JSON.stringify(data).slice(0, 900)}`);
      }
    }
    this.#started = [];
  }

  finish(): Promise<void> {
    return this.settle();
  }
}
