import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import process from 'node:process';

export type Variables = Readonly<Record<string, string>>;

export interface Finished {
  readonly ok: boolean;
  /** 127 for a missing program, as in a shell. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program and collects its output. A missing program counts as failed. */
export async function capture(command: readonly string[], env: Variables = {}): Promise<Finished> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  try {
    const [code] = await once(child, 'close');
    return { ok: code === 0, code: Number(code ?? 1), ...said };
  } catch (error) {
    return { ok: false, code: 127, stdout: '', stderr: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Runs a program and appends its output to a file.
 * @throws Error that names the file if the program does not exit 0
 */
export async function logged(command: readonly string[], logFile: string, env: Variables = {}): Promise<void> {
  const [program = '', ...args] = command;
  const log = openSync(logFile, 'a');
  try {
    const child = spawn(program, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env } });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} failed (exit ${code}): see ${logFile}`);
  } finally {
    closeSync(log);
  }
}

/**
 * Output of a docker command, without the last newline.
 * @throws Error with docker's message
 */
export async function docker(...args: string[]): Promise<string> {
  const { ok, stdout, stderr } = await capture(['docker', ...args]);
  if (!ok) throw new Error(`docker ${args[0]}: ${stderr.trim()}`);
  return stdout.trimEnd();
}

export async function hasImage(name: string): Promise<boolean> {
  return (await capture(['docker', 'image', 'inspect', name])).ok;
}
