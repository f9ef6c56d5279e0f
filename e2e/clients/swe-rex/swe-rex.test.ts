import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { Sandbox } from '../../images/sandbox.ts';
import { Services } from '../../services.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

const run = promisify(execFile);
/** swe-rex imports aiohttp without a dependency on it. */
const PACKAGES = ['swe-rex==1.4.0', 'aiohttp==3.14.5'];
const PORT = 8000;
const KEYS = [
  ['without a key', ''],
  ['with a key', 'the-key'],
] as const;

interface Endpoint extends AsyncDisposable {
  readonly host: string;
  /** Empty: the host is a URL with the path. */
  readonly port: string;
}

/** With a key by the listener, else by the path of the public port. */
async function endpoint(key: string): Promise<Endpoint> {
  const own = key === '' ? {} : { SVC_API_KEY: key };
  if (process.env['CLIENTS_IN'] === 'image') {
    const env = { ...own, SVC_SWEREX_PORT: String(PORT) };
    const sandbox = await Sandbox.start({ env, with: (container) => void container.withExposedPorts(PORT) });
    const dispose = () => sandbox[Symbol.asyncDispose]();
    if (key === '') return { host: `${sandbox.url}/compat/swe-rex`, port: '', [Symbol.asyncDispose]: dispose };
    const host = `http://${new URL(sandbox.url).hostname}`;
    return { host, port: String(sandbox.container.getMappedPort(PORT)), [Symbol.asyncDispose]: dispose };
  }
  const port = await freePort();
  const services = await Services.start({ ...own, SVC_SWEREX_PORT: String(port) });
  const dispose = () => services[Symbol.asyncDispose]();
  if (key === '') return { host: `${services.url}/compat/swe-rex`, port: '', [Symbol.asyncDispose]: dispose };
  return { host: 'http://127.0.0.1', port: String(port), [Symbol.asyncDispose]: dispose };
}

test.each(KEYS)('RemoteRuntime works unchanged %s', { timeout: 600_000 }, async (_name, key) => {
  const python = await virtualEnvironment('swe-rex', [['install', '--quiet', ...PACKAGES]]);
  await using service = await endpoint(key);
  const own = { SWEREX_HOST: service.host, SWEREX_PORT: service.port, SWEREX_KEY: key };
  const { stdout } = await run(python, [join(import.meta.dirname, 'drive.py')], {
    env: { ...process.env, ...own },
    timeout: 400_000,
  });
  expect(stdout).toMatch(/passed\n$/);
});
