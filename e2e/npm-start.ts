import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { ROOT } from '../scripts/root.ts';
import { freePort } from '../scripts/testing/free-port.ts';

export interface NpmStart {
  readonly npm: ChildProcess;
  readonly url: string;
  readonly log: () => string;
}

/** Runs `npm start` as a user does; resolves when it reports that it is ready. It emits `said` after each output. */
export async function npmStart(runtimeDir: string, env: Readonly<Record<string, string>>): Promise<NpmStart> {
  const [port, daemonPort] = [await freePort(), await freePort()];
  const npm = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SVC_RUNTIME_DIR: runtimeDir, SVC_PORT: String(daemonPort), ...env },
  });
  let log = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      npm.emit('said');
    });
  }
  npm.once('exit', () => npm.emit('said'));
  while (!log.includes(`sandbox: ready on http://127.0.0.1:${port}`)) {
    if (npm.exitCode !== null) throw new Error(`npm start has ended: ${log}`);
    await once(npm, 'said');
  }
  return { npm, url: `http://127.0.0.1:${port}`, log: () => log };
}

/** The process id of a service of a runtime directory; undefined if it does not run. */
export function pidOf(bundle: 'sandboxd' | 'gateway', runtimeDir: string): number | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [environment, commandLine] = ['environ', 'cmdline'].map((file) => textOf(`/proc/${pid}/${file}`));
    const isService = commandLine?.includes(`${bundle}.mjs\0start\0`);
    if (isService && environment?.includes(`SVC_RUNTIME_DIR=${runtimeDir}\0`)) return Number(pid);
  }
  return undefined;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
