import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { has } from '../../../scripts/testing/machine.ts';
import { endpoint } from './endpoint.ts';
import { drive, driverWithE2b, pythonWithE2b } from './published-clients.ts';
import { DOMAIN, startTlsProxy } from './tls-proxy.ts';

const TIMEOUT = { timeout: 600_000 };
/** Runs a program that sees a file of its own at /etc/hosts. */
const WITH_HOSTS = ['-Urm', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"'];

test.runIf(has('mounts of its own') && has('registries')).each([
  ['without a key', ''],
  ['with a key', 'the-key'],
])('[e2b.domain] the SDKs work with E2B_DOMAIN alone through a proxy with TLS %s', TIMEOUT, async (_name, key) => {
  const [python, driver] = [await pythonWithE2b(), await driverWithE2b('drive-domain.mjs')];
  const open = key === '' ? { SVC_ALLOWED_HOSTS: `*.${DOMAIN}` } : {};
  await using service = await endpoint(key, { SVC_SANDBOX_ID: 'box', ...open });
  const preview = await freePort();
  const labels = ['api', '49983-box', '49999-box', `${preview}-box`];
  await using proxy = await startTlsProxy(service.url, labels);
  const env = {
    E2B_DOMAIN: `${DOMAIN}:${proxy.port}`,
    E2B_API_KEY: key || 'any',
    SSL_CERT_FILE: proxy.authority,
    NODE_EXTRA_CA_CERTS: proxy.authority,
    PREVIEW_PORT: String(preview),
    PREVIEW_STATUS: key === '' ? '200' : '401',
  };
  const run = (...command: string[]) => drive('unshare', [...WITH_HOSTS, proxy.hosts, ...command], env);
  expect(await run(python, join(import.meta.dirname, 'drive_domain.py'))).toBe('passed\n');
  expect(await run(process.execPath, driver)).toBe('passed\n');
  expect([...proxy.versions.keys()].sort()).toEqual(['1.1', '2.0']);
});
