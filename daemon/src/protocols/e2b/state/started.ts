import { join } from 'node:path';
import { textBeginning } from '@sandbox/program/text-beginning.ts';
import { KeptJson } from '../../../core/records/kept-json.ts';
import type { RuntimeSpace } from '../../../core/records/runtime-space.ts';

const FILE = 'started.json';

/** What a client asked of a command or terminal that it started; the capability has the rest. */
export interface StartedRecord {
  /** Of the command or the terminal. */
  readonly id: string;
  /** Null: it was started without a sandbox. */
  readonly sandboxId: string | null;
  readonly tag: string | null;
  readonly cmd: string;
  readonly args: readonly string[];
  readonly envs: Readonly<Record<string, string>>;
  readonly cwd: string | null;
}

/** Characters of a text, and of all variables, that a record keeps: what it is asked for is a list. */
const TEXT_KEPT = 16_384;
const VARIABLES_KEPT = 4096;

/** What was started through the protocol, by the ids of commands and terminals; on disk before it is acknowledged. */
export class Started {
  readonly #kept: KeptJson<readonly StartedRecord[]>;
  #byId: ReadonlyMap<string, StartedRecord>;

  constructor(directory: string, space: RuntimeSpace) {
    this.#kept = new KeptJson<readonly StartedRecord[]>(space, join(directory, FILE), []);
    this.#byId = byId(this.#kept.value);
  }

  find(id: string): StartedRecord | undefined {
    return this.#byId.get(id);
  }

  ofSandbox(sandboxId: string): StartedRecord[] {
    return this.#kept.value.filter((record) => record.sandboxId === sandboxId);
  }

  /** Those of sandboxes that are not alive any more. */
  orphans(isAlive: (sandboxId: string) => boolean): StartedRecord[] {
    return this.#kept.value.filter(({ sandboxId }) => sandboxId !== null && !isAlive(sandboxId));
  }

  /** @param isKnown whether the capability still has a record of an id: others are forgotten. @throws SandboxError `disk_full` */
  add(record: StartedRecord, isKnown: (id: string) => boolean): void {
    this.#kept.set([...this.#kept.value.filter(({ id }) => isKnown(id)), bounded(record)]);
    this.#byId = byId(this.#kept.value);
  }
}

function byId(records: readonly StartedRecord[]): ReadonlyMap<string, StartedRecord> {
  return new Map(records.map((record) => [record.id, record]));
}

function bounded(record: StartedRecord): StartedRecord {
  const { cmd, args, envs } = record;
  return {
    ...record,
    cmd: textBeginning(cmd, TEXT_KEPT),
    args: args.slice(0, 64).map((text) => textBeginning(text, TEXT_KEPT)),
    envs: JSON.stringify(envs).length > VARIABLES_KEPT ? {} : envs,
  };
}
