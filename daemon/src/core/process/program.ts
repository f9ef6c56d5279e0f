import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, resolve } from 'node:path';
import type { Identity } from '../account/identity.ts';
import { StartFailure, type StartSpec } from './process-host.ts';
import { runnerOf } from './runner.ts';

const DEFAULT_PATH = '/usr/bin:/bin';

/** The account that runs the program, if it is not the daemon's own. */
type Runner = Identity | undefined;

/**
 * The account and the program of a start, checked as far as the daemon (`own`) can before it starts anything.
 * @throws StartFailure as `runnerOf`, `requireDirectory` and `resolveProgram`
 */
export function resolveStart(spec: StartSpec, own: Identity): { readonly runner: Runner; readonly program: string } {
  const runner = runnerOf(spec.identity, own);
  requireDirectory(spec.cwd, runner);
  return { runner, program: resolveProgram(spec.file, spec.env['PATH'], spec.cwd, runner) };
}

/**
 * The absolute path of a program, found as `execvp` does: a name with a slash from `cwd`, another on PATH.
 * @throws StartFailure 127 if none exists, 126 if it cannot be run
 */
function resolveProgram(file: string, path: string | undefined, cwd: string, runner?: Runner): string {
  let refusal: StartFailure | undefined;
  for (const candidate of candidates(file, path, cwd)) {
    const stat = statOf(candidate);
    if (stat === undefined) continue;
    const obstacle = obstacleOf(candidate, stat, runner);
    if (obstacle === undefined) return candidate;
    refusal ??= new StartFailure(`${obstacle}: ${candidate}`, 126);
  }
  throw refusal ?? new StartFailure(`program not found: ${file}`, 127);
}

/** @throws StartFailure if the runner cannot use `cwd` as its working directory */
function requireDirectory(cwd: string, runner?: Runner): void {
  const stat = statOf(cwd);
  if (stat === undefined) throw new StartFailure(`cwd does not exist: ${cwd}`, 126);
  if (!stat.isDirectory()) throw new StartFailure(`cwd is not a directory: ${cwd}`, 126);
  if (!mayExecute(cwd, stat, runner)) throw new StartFailure(`no permission to enter cwd: ${cwd}`, 126);
}

/** @throws StartFailure 126 if a script names an interpreter that does not exist, which setpriv would not report */
export function requireInterpreter(program: string): void {
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(firstBytes(program, 256))?.[1];
  if (interpreter === undefined || statOf(interpreter) !== undefined) return;
  throw new StartFailure(`interpreter of ${program} not found: ${interpreter}`, 126);
}

function candidates(file: string, path: string | undefined, cwd: string): string[] {
  if (file === '') return [];
  if (file.includes('/') || isAbsolute(file)) return [resolve(cwd, file)];
  return (path || DEFAULT_PATH).split(delimiter).map((directory) => resolve(cwd, directory, file));
}

function obstacleOf(path: string, stat: Stats, runner: Runner): string | undefined {
  if (stat.isDirectory()) return 'is a directory';
  if (!stat.isFile() || !mayExecute(path, stat, runner)) return 'not executable';
  return undefined;
}

/** By the mode bits for another account, since only the daemon's own rights can be asked for. */
function mayExecute(path: string, stat: Stats, runner: Runner): boolean {
  if (runner === undefined) return isExecutable(path);
  return executeBit(stat, runner) && mayReach(dirname(path), runner);
}

function mayReach(directory: string, runner: Identity): boolean {
  const stat = statOf(directory);
  if (stat === undefined || !executeBit(stat, runner)) return false;
  return directory === dirname(directory) || mayReach(dirname(directory), runner);
}

function executeBit({ mode, uid, gid }: Stats, runner: Identity): boolean {
  if (runner.uid === 0) return (mode & 0o111) !== 0;
  if (uid === runner.uid) return (mode & 0o100) !== 0;
  return (mode & (runner.groups.includes(gid) ? 0o010 : 0o001)) !== 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // No permission to look, or a name that is too long: the file cannot be used either way.
    return undefined;
  }
}

/** Empty if it cannot be read: a program needs no read permission. */
function firstBytes(path: string, count: number): string {
  try {
    const fd = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(count);
      return buffer.toString('latin1', 0, readSync(fd, buffer, 0, count, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
