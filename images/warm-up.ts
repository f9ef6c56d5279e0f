// Starts each service once, so that the compile cache beside the bundles is full when the image is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

const product = process.argv[2] ?? '';

/** The flags are those of the image: V8 keeps a cache of its own for others. */
async function warmUp(bundle: string, env: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn(process.execPath, ['--max-semi-space-size=4', join(product, bundle), 'start'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('listening')) child.kill();
  const [code] = await ended;
  if (code !== 0) throw new Error(`${bundle} ended with ${code}`);
}

await warmUp('sandboxd.mjs', { SVC_PORT: '0', SVC_RUNTIME_DIR: '/tmp/warm-up' });
await warmUp('gateway.mjs', { GATEWAY_PORT: '0' });
