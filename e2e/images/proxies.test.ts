import { expect, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, startSandbox } from './sandbox.ts';

/** Nothing listens there: what goes to the proxy fails. */
const DEAD = 'http://127.0.0.1:9';
const SERVER = `printf 'import http.server, socket
class Server(http.server.ThreadingHTTPServer):
  address_family = socket.AF_INET6
  def server_bind(self):
    self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    super().server_bind()
Server(("::", 8000), http.server.SimpleHTTPRequestHandler).serve_forever()
' >~/server.py; exec python3 ~/server.py`;
const HOSTS = ['localhost', '127.0.0.1', '0.0.0.0', '127.9.9.9', '$(hostname)', '$(hostname -i)'];
const IN_WORKER = `const { Worker } = require("node:worker_threads");
const run = (script) => new Worker(script, { eval: true, argv: [process.argv[1]] })`.replaceAll('\n', ' ');
/** Programs with `URL` as their argument; each prints 200. */
const PROGRAMS: Readonly<Record<string, string>> = {
  curl: `curl -sS -o /dev/null -w '%{http_code}\\n'`,
  urllib: `python3 -c 'import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).status)'`,
  'urllib in a virtual environment': `~/venv/bin/python -c 'import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).status)'`,
  'fetch of Node': `node -e 'fetch(process.argv[1]).then((a) => console.log(a.status), (e) => console.log(String(e.cause)))'`,
  'http of Node': `node -e 'http.get(process.argv[1], (a) => { console.log(a.statusCode); a.destroy(); }).on("error", (e) => console.log(String(e)))'`,
  'fetch in a worker of Node': `node -e '${IN_WORKER}; run(\`fetch(process.argv[2]).then((a) => console.log(a.status), (e) => console.log(String(e.cause)))\`)'`,
  'http in a worker of Node': `node -e '${IN_WORKER}; run(\`require("node:http").get(process.argv[2], (a) => { console.log(a.statusCode); a.destroy(); }).on("error", (e) => console.log(String(e)))\`)'`,
};

test.each([
  ['PROXY_SERVER', { PROXY_SERVER: DEAD }],
  ['upper case', { HTTP_PROXY: DEAD }],
])(
  '[images.loopback-direct] with a proxy (%s) every program reaches the sandbox itself, and others by the proxy',
  async (_, env) => {
    await using sandbox = await startSandbox({ env: { ...env, ...NO_BROWSER, ...NO_KERNELS } });
    await sandbox.run(SERVER, { mode: 'async' });
    await sandbox.run(
      'python3 -m venv --without-pip ~/venv; until curl -sSf -o /dev/null http://127.0.0.1:8000; do sleep 0.1; done',
    );
    for (const [name, program] of Object.entries(PROGRAMS)) {
      const { stdout, stderr } = await sandbox.run(HOSTS.map((host) => `${program} http://${host}:8000/`).join('\n'));
      expect([name, stdout, stderr]).toEqual([name, HOSTS.map(() => '200\n').join(''), '']);
      // An engine without IPv6 gives the container no such address, which the proxy would not know either.
      const v6 = await sandbox.run(`${program} http://[::1]:8000/ 2>&1 | tail -n 2`);
      expect([name, v6.stdout]).toEqual([name, expect.stringMatching(/^200$|::1|assign requested/m)]);
      // 192.0.2.0/24 is reserved for documents: without the proxy there is no answer.
      const other = await sandbox.run(`timeout 10 ${program} http://192.0.2.1/ 2>&1 | tail -n 2`);
      expect([name, other.stdout]).toEqual([name, expect.stringMatching(/ECONNREFUSED|refused|connect to/)]);
    }
    const cell = await sandbox.post('/v2/code/execute', {
      language: 'javascript',
      code: `(await fetch('http://127.0.0.1:8000/')).status + (await fetch('http://127.9.9.9:8000/')).status`,
    });
    expect(cell).toMatchObject({ status: 'ok' });
    expect(JSON.stringify(cell)).toContain('400');
  },
);
