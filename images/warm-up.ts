// Runs both services, a command and the command line once, so that the image contains a filled compile cache beside the
// bundles. The flags are those of the image: V8 has a separate cache for other flags. Arguments: the directory of the
// bundles in the image, since the cache has their paths, and ids of further accounts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

const [product = '', ...accounts] = process.argv.slice(2);
const PORTS = { SVC_PORT: '18091', GATEWAY_PORT: '18080' };

async function start(bundle: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--max-semi-space-size=4', join(product, bundle), 'start'], {
    env: { ...process.env, ...PORTS, SVC_RUNTIME_DIR: '/tmp/warm-up' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.includes('listening') && resolve());
    child.once('exit', (code) => reject(new Error(`${bundle} ended with ${code}`)));
  });
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  const [code] = await ended;
  if (code !== 0) throw new Error(`a service ended with ${code}`);
}

const [daemon, gateway] = await Promise.all([start('sandboxd.mjs'), start('gateway.mjs')]);
const url = `http://127.0.0.1:${PORTS.GATEWAY_PORT}`;
const ready = await fetch(`${url}/ready`);
const run = await fetch(`${url}/v2/commands`, { method: 'POST', body: JSON.stringify({ command: 'true' }) });
if (!ready.ok || !run.ok) throw new Error(`the services answer ${ready.status} and ${run.status}`);
// As images/bin/sandbox starts it; what runs first fills its cache.
const commandLine = ['--v8-pool-size=0', join(product, 'sandbox.cjs'), 'run', '--', 'true'];
const used = spawn(process.execPath, commandLine, { env: { ...process.env, SANDBOX_URL: url }, stdio: 'inherit' });
const [code] = await once(used, 'exit');
if (code !== 0) throw new Error(`the command line ended with ${code}`);
await stop(gateway);
await stop(daemon);

// Node names the directory after its version and the account, and gives its files to that account alone.
const cache = join(product, '.cache');
for (const directory of await readdir(cache)) {
  for (const file of await readdir(join(cache, directory))) await chmod(join(cache, directory, file), 0o644);
  const version = directory.slice(0, directory.lastIndexOf('-'));
  for (const account of accounts) await symlink(directory, join(cache, `${version}-${account}`));
}
