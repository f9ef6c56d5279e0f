import { constants } from 'node:os';
import type { CommandsPort, ProgramState } from '../../core/ports/commands-port.ts';

/** What a command has done. */
export interface Ran {
  readonly stdout: Kept;
  readonly stderr: Kept;
  /** Undefined: the process host has lost it. */
  readonly end: ProgramState | undefined;
}

/** The beginning of a stream, and how many bytes more there were. */
export class Kept {
  readonly #bytesMax: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #left = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.subarray(0, this.#bytesMax - this.#length));
    if (piece.length > 0) this.#pieces.push(piece);
    this.#length += piece.length;
    this.#left += bytes.length - piece.length;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  get left(): number {
    return this.#left;
  }
}

/** Reads a command to its end. @param bytesMax bytes of each stream that are kept */
export async function readToEnd(commands: CommandsPort, id: string, bytesMax: number, gone: AbortSignal): Promise<Ran> {
  const output = { stdout: new Kept(bytesMax), stderr: new Kept(bytesMax) };
  let end: ProgramState | undefined;
  for await (const event of commands.follow(id, gone)) {
    if (event.type === 'exit') end = event.state;
    else output[event.stream].add(event.bytes);
  }
  return { ...output, end };
}

/** The number of a signal that has ended it; undefined: none has, or it has no number here. */
export function signalNumber(state: Pick<ProgramState, 'signal'> | undefined): number | undefined {
  return constants.signals[state?.signal as NodeJS.Signals];
}
