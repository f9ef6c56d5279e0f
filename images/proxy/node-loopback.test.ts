import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Nothing listens there: what goes to the proxy fails. */
const DEAD = 'http://127.0.0.1:9';
const MODULE = fileURLToPath(new URL('node-loopback.cjs', import.meta.url));
const ENV = { http_proxy: DEAD, no_proxy: 'localhost', NODE_USE_ENV_PROXY: '1', NODE_OPTIONS: `--require=${MODULE}` };
const DIRECT = ['127.0.0.1', '127.9.9.9', '0.0.0.0'];
/** Of a network that is reserved for documents. */
const OTHER = '192.0.2.1';

/** Prints the status of each address that is an argument, or why it has none. */
const FETCH = `(async () => {
  for (const url of process.argv.filter((each) => each.startsWith('http:'))) {
    console.log(await fetch(url).then((answer) => answer.status, (error) => error.cause.message));
  }
})()`;
const inWorker = (script: string): string =>
  `new (require('node:worker_threads').Worker)(${JSON.stringify(script)}, { eval: true, argv: process.argv })`;

test.each([
  ['a program', FETCH],
  ['a worker thread', inWorker(FETCH)],
  ['a worker thread of another', inWorker(inWorker(FETCH))],
])(
  '[images.loopback-direct] fetch of %s reaches loopback addresses directly, and others by the proxy',
  async (_, script) => {
    const server = createServer((_request, response) => response.end()).listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const urls = [...DIRECT, OTHER].map((host) => `http://${host}:${port}/`);
      const options = { env: { ...process.env, ...ENV } };
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, ...urls], options);
      expect(stdout).toBe(`${'200\n'.repeat(DIRECT.length)}connect ECONNREFUSED 127.0.0.1:9\n`);
    } finally {
      server.close();
    }
  },
);
