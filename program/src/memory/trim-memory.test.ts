import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { BUILT_DIRECTORY } from '../built-directory.ts';

/** Fills the heap with blocks, frees all but every 64th, and prints the resident MiB, again and again. */
const PROGRAM = `
import { trimMemory } from ${JSON.stringify(import.meta.resolve('./trim-memory.ts'))};
const print = () => console.log(process.memoryUsage.rss() / 1024 ** 2, blocks.length);
let blocks = Array.from({ length: 8192 }, () => Buffer.allocUnsafeSlow(16 * 1024).fill(1));
blocks = blocks.filter((_block, index) => index % 64 === 0);
await new Promise((resolve) => setImmediate(resolve));
gc();
print();
trimMemory(20);
setInterval(print, 20);
`;

test.runIf(has('compiler'))(
  '[limits.trimmed] memory that is freed between live blocks goes back to the system',
  async () => {
    expect(existsSync(join(BUILT_DIRECTORY, 'memory-trimmer.node'))).toBe(true);
    const flags = ['--expose-gc', '--input-type=module-typescript', '--eval', PROGRAM];
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill());
    let first: number | undefined;
    for await (const line of createInterface(child.stdout)) {
      const [resident = 0, live] = line.split(' ').map(Number);
      expect(live).toBe(128);
      first ??= resident;
      if (first - resident > 64) return;
    }
    expect.unreachable('the program ended');
  },
);
