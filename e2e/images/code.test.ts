import { expect, test } from 'vitest';
import { analyse } from '../analyst-session.ts';
import { NO_BROWSER, sharedSandbox } from './sandbox.ts';

const KEY = 'key-of-code';
const MEMORY_GIB = 2;

interface Cell {
  readonly status: string;
  readonly stdout: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly oom_killed: boolean | null;
  readonly outputs: readonly { readonly output_type: string; readonly data?: Readonly<Record<string, string>> }[];
}

const sandbox = sharedSandbox({
  key: KEY,
  env: { SVC_API_KEY: KEY, ...NO_BROWSER },
  with: (container) => container.withResourcesQuota({ memory: MEMORY_GIB }),
});

const cell = (language: string, code: string, more: object = {}): Promise<Cell> =>
  sandbox().post('/v2/code/execute', { language, code, timeout: 120, ...more });

const plainValue = ({ outputs }: Cell) => outputs.find((output) => output.data)?.data?.['text/plain'];

test('[code.context] [images.code] cells of each language run as the account, in its home, through the gateway', async () => {
  const where = 'import os, getpass\nprint(getpass.getuser(), os.getuid(), os.getcwd(), "SVC_API_KEY" in os.environ)';
  const script =
    'const { userInfo } = require("os"); console.log(userInfo().username, process.getuid(), process.cwd(), "SVC_API_KEY" in process.env)';
  const [python, javascript, typescript, bash] = await Promise.all([
    cell('python', where),
    cell('javascript', script),
    cell('typescript', `const n: number = 1; ${script}`),
    cell('bash', 'echo "$(id -un) $(id -u) $PWD $(printenv SVC_API_KEY || echo unset)"'),
  ]);
  expect(python.stdout).toMatch(/^sandbox \d+ \/home\/sandbox False\n$/);
  expect(javascript.stdout).toMatch(/^sandbox \d+ \/home\/sandbox false\n$/);
  expect(typescript.stdout).toBe(javascript.stdout);
  expect(bash.stdout).toMatch(/^sandbox \d+ \/home\/sandbox unset\n$/);
  expect((await fetch(`${sandbox().url}/v2/code/info`)).status).toBe(401);
});

test('[code.sockets] [images.code] sockets of kernels are in directories of mode 0700 of the account', async () => {
  await cell('python', '1', { session_id: 'sockets' });
  const modes = await sandbox().shell('stat -c "%a %U %n" /tmp/svc-code-*/* && ls /tmp/svc-code-*/*/ | grep -c ^k-');
  const lines = modes.split('\n').map((line) => line.trim());
  expect(lines.at(-1)).toMatch(/^[1-9]\d*$/);
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^700 sandbox \/tmp\/svc-code-/);
  const other = await sandbox().run('ls /tmp/svc-code-*/*', { user: 'nobody' });
  expect(other.exit_code).not.toBe(0);
});

test('[code.died] [images.code] a cell that takes all memory is reported, and the services go on', {
  timeout: 180_000,
}, async () => {
  const kept = await cell('python', 'x = 5', { session_id: 'kept' });
  expect(kept.status).toBe('ok');
  const died = await cell('python', 'pieces = []\nwhile True: pieces.append(bytearray(64 << 20))', {
    session_id: 'large',
  });
  expect(died).toMatchObject({ status: 'error', signal: 'SIGKILL', exit_code: -1, oom_killed: true });
  expect(plainValue(await cell('python', 'x', { session_id: 'kept' }))).toBe('5');
  expect((await sandbox().fetch('/ready')).status).toBe(200);
});

test('[code.queue] [images.code] of 64 concurrent cells without a session eight run; the others wait or answer 429', {
  timeout: 300_000,
}, async () => {
  const go = '/tmp/go-of-queue';
  const code = `import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("${go}"): time.sleep(0.05)`;
  const send = (timeout: number) =>
    sandbox().fetch('/v2/code/execute', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ language: 'python', code, timeout }),
    });
  const patient = Array.from({ length: 16 }, () => send(200));
  const holders = async () => {
    const { data } = (await (await sandbox().fetch('/v2/sandbox/activity')).json()) as {
      data: { holders: { kind: string }[] };
    };
    return data.holders.filter(({ kind }) => kind === 'cell').length;
  };
  await expect.poll(holders, { timeout: 100_000 }).toBe(8);
  const impatient = await Promise.all(Array.from({ length: 48 }, () => send(1)));
  expect(new Set(impatient.map(({ status }) => status))).toEqual(new Set([429]));
  expect(await holders()).toBe(8);
  await sandbox().run(`touch ${go}`);
  const ended = await Promise.all(
    patient.map(async (answer) => ((await (await answer).json()) as { data: Cell }).data),
  );
  expect(ended.map(({ status, stdout }) => [status, stdout])).toEqual(ended.map(() => ['ok', 'begun\n']));
});

test('[code.analyst] [images.code] an analyst’s session runs in the image', { timeout: 300_000 }, async () => {
  const { figure } = await analyse({ url: sandbox().url, key: KEY });
  expect(figure.length).toBeGreaterThan(100);
});

test('[code.kernelspec-list] [images.code] jupyter kernelspec list names the kernel', async () => {
  const { exit_code, stdout, stderr } = await sandbox().run('jupyter kernelspec list');
  expect([exit_code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^ +python3 +\/usr\/share\/jupyter\/kernels\/python3$/m);
});

test('[jupyter.info] [images.code] the routes of 1.x run in the image', async () => {
  const info = (await (await sandbox().fetch('/v1/jupyter/info')).json()) as { data: { available_kernels: string[] } };
  expect(info.data.available_kernels).toContain('python3');
  const ran = await sandbox().post<Cell>('/v1/jupyter/execute', { code: '6 * 7' });
  expect(plainValue(ran)).toBe('42');
  const script = await sandbox().post<Cell>('/v1/nodejs/execute', { code: 'console.log(1)' });
  expect([script.stdout, script.exit_code]).toEqual(['1\n', 0]);
  const python = await sandbox().post<Cell>('/v1/code/execute', { language: 'python', code: 'print(1)' });
  expect(python.stdout).toBe('1\n');
});
