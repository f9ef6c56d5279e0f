import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** Processes that each keep one processor busy until they are disposed, or this process ends. */
export class Burners implements AsyncDisposable {
  readonly #children: readonly ChildProcess[];

  constructor(count: number) {
    // Where the pipe of its stdin closes, this process is gone.
    const loop = `const turn = () => { for (const end = Date.now() + 50; Date.now() < end;); setImmediate(turn); };
      process.stdin.on('end', () => process.exit()).resume(); turn();`;
    this.#children = Array.from({ length: count }, () =>
      spawn(process.execPath, ['-e', loop], { stdio: ['pipe', 'ignore', 'ignore'] }),
    );
  }

  get pids(): number[] {
    return this.#children.flatMap(({ pid }) => pid ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }),
    );
  }
}
