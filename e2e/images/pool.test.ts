import { expect, test } from 'vitest';
import { statusWith, untilHealthy } from './observe.ts';
import { NO_BROWSER, NO_KERNELS, type Sandbox, startSandbox } from './sandbox.ts';
import { pidOf } from './supervisor.ts';

const SIZE = 10;
const TOKEN = 'token-of-the-pool';
const TOKEN_FILE = '/etc/claim-token';

/** What Kubernetes sets in a namespace with Services of these names. */
const SERVICE_LINKS = { GATEWAY_PORT: 'tcp://10.96.0.7:8080', SVC_PORT: 'udp://[fd00::7]:53' };

/** A sandbox that waits for its claim; without a browser, so that ten of them fit on a small machine. */
function pooled(env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  return startSandbox({
    env: { SVC_CLAIM_TOKEN_FILE: TOKEN_FILE, ...NO_BROWSER, ...NO_KERNELS, ...env },
    with: (container) =>
      container.withCopyContentToContainer([{ content: `${TOKEN}\n`, target: TOKEN_FILE, mode: 0o600 }]),
  });
}

async function claim(sandbox: Sandbox, caller: number): Promise<number> {
  const answer = await sandbox.fetch('/v2/sandbox/claim', {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      api_key: `key-of-caller-${caller}`,
      env: { CALLER: String(caller) },
      labels: { caller: `${caller}` },
    }),
  });
  return answer.status;
}

/** Tries the sandboxes one after the other, beginning with the first, until one is its own. */
async function takeOne(pool: readonly Sandbox[], caller: number): Promise<number> {
  for (const [index, sandbox] of pool.entries()) {
    const status = await claim(sandbox, caller);
    if (status === 200) return index;
    expect(status).toBe(409);
  }
  throw new Error(`caller ${caller} got no sandbox`);
}

test('[claim.pool] ten sandboxes without a key are claimed by ten callers at once, each once', async () => {
  await using stack = new AsyncDisposableStack();
  const pool: Sandbox[] = [];
  for (let i = 0; i < SIZE; i++) pool.push(stack.use(await pooled()));
  for (const sandbox of pool) expect(await statusWith(sandbox, {})).toBe(401);
  const taken = await Promise.all(pool.map((_, caller) => takeOne(pool, caller)));
  expect(taken.toSorted((a, b) => a - b)).toEqual(pool.map((_, index) => index));
  for (const [caller, index] of taken.entries()) {
    const sandbox = pool[index];
    if (sandbox === undefined) throw new Error(`no sandbox ${index}`);
    const headers = { 'x-api-key': `key-of-caller-${caller}` };
    expect([await statusWith(sandbox, {}), await statusWith(sandbox, headers)]).toEqual([401, 200]);
    const info = (await (await sandbox.fetch('/v2/sandbox', { headers })).json()) as { labels: object };
    expect(info.labels).toEqual({ caller: String(caller) });
  }
});

test('[claim.restart] [claim.token-used] a pooled sandbox is healthy before and after its claim, which survives the daemon', async () => {
  await using sandbox = await pooled(SERVICE_LINKS);
  await untilHealthy(sandbox);
  expect(sandbox.rawLog).toMatch(/Service of that name: (?:GATEWAY_PORT, SVC_PORT|SVC_PORT, GATEWAY_PORT)/);
  expect(await claim(sandbox, 7)).toBe(200);
  await untilHealthy(sandbox);
  expect(await sandbox.shell(`test -e ${TOKEN_FILE}; echo $?`)).toBe('1');
  const headers = { 'x-api-key': 'key-of-caller-7' };
  const pid = await pidOf(sandbox, 'daemon');
  await sandbox.shell(`kill -9 ${pid}`);
  await expect.poll(() => statusWith(sandbox, headers).catch(() => 0)).toBe(200);
  expect(await statusWith(sandbox, {})).toBe(401);
  expect(await claim(sandbox, 8)).toBe(409);
  const run = await sandbox.fetch('/v2/commands', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ command: 'echo $CALLER; id -un; env; cat /var/lib/svc/claim.json' }),
  });
  const { stdout } = ((await run.json()) as { data: { stdout: string } }).data;
  expect(stdout).toMatch(/^7\nsandbox\n/);
  expect(stdout).not.toContain('key-of-caller-7');
});
