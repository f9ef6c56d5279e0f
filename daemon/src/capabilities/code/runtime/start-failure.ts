import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { readResources } from '@sandbox/program/resources/read-resources.ts';
import { killedOf, killedSuffix } from '../../../core/process/memory-kill.ts';
import type { HostedProcess, ProcessEnd } from '../../../core/process/process-host.ts';

/** Milliseconds that the end of a process may take to be known after its socket has closed. */
const NOTICE_MS = 1000;
/** The share of the memory from which a slow start is for want of it: programs are read from the disk again and again. */
const SHORT_OF_MEMORY = 0.9;
const MIB = 1024 ** 2;
const MORE_MEMORY = 'give the sandbox more memory (docker run --memory), or end what uses it, as the browser';

/** What is known of an interpreter that does not start. */
interface StartFailure {
  /** The subject of the message. */
  readonly what: string;
  /** What happened, if its process has not ended. */
  readonly instead: string;
  /** What it wrote. */
  readonly said: string;
  readonly hint: string;
}

/**
 * The error of an interpreter that does not start, to be made before its process is ended: it says how that ended and
 * whether the memory limit did it, or what happened instead and whether memory is short.
 */
export async function startError(
  process: HostedProcess,
  { what, instead, said, hint }: StartFailure,
): Promise<SandboxError> {
  const hasEnded = (await waitFor(process.ended, { ms: NOTICE_MS })) === 'settled';
  const end = hasEnded ? await process.ended : undefined;
  const killed = killedOf(end?.usage);
  const shortage = end ? killedSuffix(killed) : await shortageOfMemory();
  const why = `${end ? `it ${howEnded(end)}` : instead}${shortage}${said && `: ${said}`}`;
  return new SandboxError('unavailable', `${what} does not start: ${why}`, { hint: shortage ? MORE_MEMORY : hint });
}

/** For a sentence about an interpreter. */
export function howEnded({ exitCode, signal }: ProcessEnd): string {
  if (exitCode === null && signal === null) return 'is not to be reached any more';
  return signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
}

/** The last part of a message; empty if there is memory. */
async function shortageOfMemory(): Promise<string> {
  const { memory } = await readResources();
  if (memory.used < SHORT_OF_MEMORY * memory.total) return '';
  const [used, total] = [memory.used, memory.total].map((bytes) => Math.round(bytes / MIB));
  return `; the sandbox uses ${used} of the ${total} MiB of its memory limit`;
}
