import { randomUUID } from 'node:crypto';
import type { Core } from '../../core/core.ts';
import type { Finding } from '../../core/finding.ts';
import type { PortReader } from '../../core/ports/port.ts';
import type { OwnedProcesses } from '../../core/process/owners/owned-processes.ts';
import type { HostedProcess } from '../../core/process/process-host.ts';
import { Registry } from '../../core/registry.ts';
import { QUOTATION } from '../quotation.fixture.ts';

interface Note {
  readonly id: string;
  readonly process: HostedProcess;
}

/** Keeps each note in the environment of a process that waits; the processes outlive the daemon. */
export class NoteService implements AsyncDisposable {
  readonly #processes: OwnedProcesses;
  readonly #notes: Registry<Note>;
  readonly #ports: PortReader;

  constructor(core: Core, ceiling: number, ports: PortReader) {
    this.#processes = core.processes;
    this.#ports = ports;
    const found = [...this.#processes.recover(new Map()).processes.values()];
    this.#notes = new Registry<Note>(
      { kind: 'notes', ceiling, hint: 'remove one', describe: (id) => ({ noteId: id }) },
      found.map((process) => [process.id, { id: process.id, process }]),
    );
  }

  async add(text: string): Promise<Note> {
    using place = this.#notes.reserve(randomUUID());
    const process = await this.#processes.start({
      id: place.id,
      file: '/bin/sh',
      args: ['-c', 'printf %s "$NOTE"; read -r _'],
      cwd: '/',
      env: { NOTE: text, PATH: '/usr/bin:/bin' },
      stdin: 'pipe',
      outputMaxBytes: 65_536,
    });
    const note = { id: place.id, process };
    place.fill(note);
    return note;
  }

  /** The texts by id, in quotation marks where another capability knows how. */
  async texts(): Promise<Record<string, string>> {
    const quote = this.#ports.get(QUOTATION) ?? ((text: string) => text);
    const texts = this.#notes.list().map(async ({ id, process: { output } }) => {
      await output.stdout.advanced(0);
      return [id, quote((await output.stdout.read(0, 65_536)).bytes.toString())] as const;
    });
    return Object.fromEntries(await Promise.all(texts));
  }

  async probe(): Promise<Finding> {
    return { name: 'notes', ok: true, detail: `${this.#notes.size} notes` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes.endAll(0);
  }
}
