import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings, Writer } from './writer.ts';

/** A command that copies its stdin to a file; each line is written once, even if calls are cut. */
export class StdinWriter implements Writer {
  readonly #with: Surroundings;
  readonly #file: string;
  #id: string | undefined;
  #taken = '';
  #pending = '';
  /** What is pending may have been taken, or may yet be. */
  #isCut = false;
  #count = 0;

  constructor(surroundings: Surroundings) {
    this.#with = surroundings;
    this.#file = join(surroundings.directory, `${surroundings.name}-stdin`);
  }

  async act(): Promise<void> {
    if (this.#id === undefined && !(await this.#begin())) return;
    this.#pending ||= `${this.#count++} ${'x'.repeat(Math.floor(this.#with.random() * 200))}\n`;
    await this.#write(this.#isCut || this.#with.random() < 0.5);
  }

  async settle(): Promise<void> {
    if (this.#id === undefined) return;
    const { daemon, ledger, name } = this.#with;
    const { status, data } = await daemon.ask(`/v2/commands/${this.#id}`);
    const bytes = data.command?.stdin_bytes ?? -1;
    if (status !== 200 || data.command?.status !== 'running') {
      ledger.fault(`${name}: the command of the stdin is gone: ${status} ${JSON.stringify(data).slice(0, 300)}`);
    }
    // The record says how much of what was cut has been taken.
    this.#advance(bytes);
  }

  async finish(): Promise<void> {
    await this.settle();
    if (this.#id === undefined) return;
    const { daemon, ledger, name } = this.#with;
    await daemon.ask(`/v2/commands/${this.#id}/stdin`, { body: { input: '', eof: true } });
    await daemon.ask(`/v2/commands/${this.#id}?wait=true&wait_timeout=30&offset=0`);
    const got = readFileSync(this.#file, 'utf8');
    if (got === this.#taken) return;
    ledger.fault(`${name}: ${this.#taken.length} bytes of stdin were acknowledged, ${got.length} arrived`);
  }

  async #begin(): Promise<boolean> {
    const { daemon, ledger, name } = this.#with;
    const body = { command: `cat >> ${this.#file}`, mode: 'async', idempotency_key: `${name}-stdin` };
    const outcome = await daemon.call('/v2/commands', { body });
    if (outcome.kind !== 'taken') return false;
    ledger.acknowledge('commands');
    this.#id = outcome.data.command_id;
    return true;
  }

  /** @param isPlaced with the offset, so that a repeated call does no harm; else only bytes that nothing has cut */
  async #write(isPlaced: boolean): Promise<void> {
    const { daemon, ledger } = this.#with;
    const offset = isPlaced ? { offset: this.#taken.length } : {};
    const body = { input: this.#pending, ...offset };
    const outcome = await daemon.call(`/v2/commands/${this.#id}/stdin`, { body });
    // Refused with an offset: bytes may be taken later.
    if (outcome.kind === 'cut' || outcome.data.stdin_bytes !== undefined) this.#isCut = true;
    if (outcome.kind !== 'taken') return;
    ledger.acknowledge('stdin');
    this.#advance(outcome.data.stdin_bytes ?? -1);
  }

  #advance(bytes: number): void {
    this.#isCut = false;
    const more = bytes - this.#taken.length;
    if (more < 0 || more > this.#pending.length) {
      this.#with.ledger.fault(
        `${this.#with.name}: stdin_bytes ${bytes}, acknowledged ${this.#taken.length}, sent ${this.#pending.length} more`,
      );
    }
    this.#taken += this.#pending.slice(0, Math.max(0, more));
    this.#pending = this.#pending.slice(Math.max(0, more));
  }
}
