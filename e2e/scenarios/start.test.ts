import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { freePort } from '../../scripts/testing/launcher.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';

interface Started {
  readonly npm: ChildProcess;
  readonly url: string;
  readonly log: () => string;
}

/** `npm start` as a user calls it, once it has said that it is ready. */
async function start(runtimeDir: string): Promise<Started> {
  const [port, daemonPort] = [await freePort(), await freePort()];
  const npm = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SVC_RUNTIME_DIR: runtimeDir, SVC_PORT: String(daemonPort), SVC_API_KEY: 'key' },
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

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('[stop.ends-commands] npm start serves on its port, and SIGTERM for npm ends services and commands', async () => {
  await using dir = await tempDir();
  const { npm, url, log } = await start(dir.path);
  const closed = once(npm, 'close');
  try {
    expect((await fetch(`${url}/v2/commands`)).status).toBe(401);
    const response = await fetch(`${url}/v2/commands`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'trap "" TERM; exec sleep 600', mode: 'async' }),
    });
    const { data } = (await response.json()) as { data: { pid: number; status: string } };
    expect([data.status, alive(data.pid)]).toEqual(['running', true]);
    npm.kill('SIGTERM');
    // Its output is closed once nobody holds it any more, the services included.
    expect(await closed).toEqual([0, null]);
    expect(alive(data.pid)).toBe(false);
    expect(log()).not.toContain('"key"');
  } finally {
    npm.kill('SIGTERM');
  }
});
