import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_DIRECTORY } from '@sandbox/program/built-directory.ts';
import { statOf } from '../../../core/process/find/process-finder.ts';
import type { ProcessEntry } from './process-entry.ts';

/** Programs of the service in its directory, by the beginning of the name. */
const PROGRAMS = ['keeper', 'sandboxd.mjs', 'gateway.mjs', 'computer-use.mjs', 'browser-mcp.mjs'];
/** Words of a command among which such a program is: `node --max-semi-space-size=4 …/gateway.mjs`. */
const WORDS = 4;
const PREFIXES = PROGRAMS.map((name) => join(BUILT_DIRECTORY, name));

/** What no caller may signal: the service would not answer any more, or starts it again at once. */
export class OwnPrograms {
  readonly #states: string | undefined;

  /** @param states file of the supervisor, a line `NAME STATE PID` for each program; undefined without one */
  constructor(states: string | undefined) {
    this.#states = states;
  }

  /** A test for the processes of one moment: pid 1, the daemon, what it was started by, and the service's programs. */
  find(): (process: Pick<ProcessEntry, 'pid' | 'command'>) => boolean {
    const pids = new Set([1, process.pid, ...this.#supervised()]);
    for (let at = statOf(process.pid)?.parent ?? 0; at > 1 && !pids.has(at); at = statOf(at)?.parent ?? 0) pids.add(at);
    return ({ pid, command }) => pids.has(pid) || isOwn(command);
  }

  #supervised(): number[] {
    if (this.#states === undefined) return [];
    const pids = textOf(this.#states)
      .split('\n')
      .map((line) => Number(line.split(' ')[2]));
    return pids.filter((pid) => pid > 1);
  }
}

/** A command that only looks like one is spared too. */
function isOwn(command = ''): boolean {
  return command.split(' ', WORDS).some((word) => PREFIXES.some((prefix) => word.startsWith(prefix)));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
