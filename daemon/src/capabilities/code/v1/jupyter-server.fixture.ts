import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../../scripts/testing/free-port.ts';

const TOKEN = 'of-the-test';
/** As the machine property `jupyter-server` has it. */
const PYTHON = process.env['TEST_JUPYTER_PYTHON'] ?? '/usr/bin/python3';

/** A Jupyter server of its own, with a token. */
export class RunningJupyter implements AsyncDisposable {
  readonly endpoint: string;
  readonly directory: string;
  readonly #base: string;
  readonly #child: ChildProcess;

  private constructor(base: string, directory: string, child: ChildProcess) {
    this.#base = base;
    this.endpoint = `${base}/?token=${TOKEN}`;
    this.directory = directory;
    this.#child = child;
  }

  static async start(): Promise<RunningJupyter> {
    const port = await freePort();
    const directory = await mkdtemp(join(tmpdir(), 'jupyter-'));
    const options = { token: TOKEN, port, port_retries: 0, ip: '127.0.0.1', base_url: '/base', root_dir: directory };
    const args = Object.entries(options).map(([name, value]) => `--ServerApp.${name}=${value}`);
    const child = spawn(PYTHON, ['-m', 'jupyter_server', '--no-browser', '--allow-root', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, JUPYTER_RUNTIME_DIR: directory, JUPYTER_CONFIG_DIR: directory },
    });
    let said = '';
    for await (const text of child.stderr.setEncoding('utf8')) {
      said += text;
      if (said.includes('is running at')) {
        child.stderr.resume();
        return new RunningJupyter(`http://127.0.0.1:${port}/base`, directory, child);
      }
    }
    throw new Error(`the Jupyter server did not start: ${said}`);
  }

  /** Ids of its kernels. */
  async kernels(): Promise<string[]> {
    const answer = await fetch(`${this.#base}/api/kernels`, { headers: { authorization: `token ${TOKEN}` } });
    return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    await rm(this.directory, { recursive: true, force: true });
  }
}
