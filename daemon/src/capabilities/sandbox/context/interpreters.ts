import { accessSync, constants, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AccountPrograms } from '../../../core/account/account-programs.ts';

/** Milliseconds that an interpreter may take to name its version. */
const VERSION_MS = 5000;
/** The most interpreters of one language that are asked. */
const AT_MOST = 8;

export type Language = 'python' | 'nodejs';

const COMMAND: Readonly<Record<Language, RegExp>> = {
  python: /^python(?:\d+(?:\.\d+)?)?$/,
  nodejs: /^node(?:js)?(?:\d+)?$/,
};

export interface Interpreter {
  /** Null if it does not name its version. */
  readonly version: string | null;
  readonly path: string;
  /** Its other command names. */
  readonly aliases: readonly string[];
}

/** The interpreters of a language on the PATH of commands, in its order, each once under all its names. */
export async function interpretersOf(language: Language, programs: AccountPrograms): Promise<Interpreter[]> {
  const byTarget = new Map<string, string[]>();
  for (const path of await commandsOnPath(programs.path, COMMAND[language])) {
    const target = targetOf(path);
    if (target !== undefined) byTarget.set(target, [...(byTarget.get(target) ?? []), path]);
  }
  const found = [...byTarget.values()].slice(0, AT_MOST);
  return Promise.all(found.map((paths) => describe(paths, programs)));
}

async function describe([path = '', ...others]: readonly string[], programs: AccountPrograms): Promise<Interpreter> {
  const text = await programs.output(path, ['--version'], VERSION_MS);
  const version = /\d+(?:\.\w+)*/.exec((text ?? '').slice(0, 100))?.[0] ?? null;
  const names = new Set(others.map((other) => basename(other)));
  names.delete(basename(path));
  return { version, path, aliases: [...names].sort() };
}

async function commandsOnPath(path: string, pattern: RegExp): Promise<string[]> {
  const directories = [...new Set(path.split(':').filter((directory) => directory.startsWith('/')))];
  const found = await Promise.all(
    directories.map(async (directory) => {
      const names = await readdir(directory).catch(() => []);
      const commands = names.filter((name) => pattern.test(name)).sort();
      return commands.map((name) => join(directory, name));
    }),
  );
  return found.flat();
}

/** The file itself, by which two names of one program are known; undefined if it cannot be run. */
function targetOf(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
