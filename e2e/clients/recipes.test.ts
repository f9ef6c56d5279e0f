import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { docker } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { blockOf, follow, GUIDE_KEY } from '../guide-commands.ts';
import { Services } from '../services.ts';
import { LABEL } from '../setup/images.ts';
import { drive, driverWithE2b, pythonWithE2b } from './e2b/published-clients.ts';
import { virtualEnvironment } from './virtual-environment.ts';

const TIMEOUT = { timeout: 600_000 };
/** In the place of the volume of a recipe. */
const VOLUME = 'sandbox-e2e-pool';

/** Replaces the ports of the recipes by those of this machine. */
type Here = (text: string) => string;

interface Started extends AsyncDisposable {
  readonly here: Here;
  readonly url: string;
}

/** Starts the container of a recipe at free ports, and waits until it is ready. */
async function started(recipe: string): Promise<Started> {
  const text = await blockOf(recipe, 'bash', 'docker run -d');
  const ports = new Map<string, number>();
  for (const [, port = ''] of text.matchAll(/127\.0\.0\.1:(\d+):/g)) ports.set(port, await freePort());
  const label = Object.entries(LABEL).map(([name, value]) => `--label '${name}=${value}'`);
  const command = text
    .replace('docker run -d', `docker run -d ${label.join(' ')}`)
    .replace('pool-1', VOLUME)
    .replaceAll(/127\.0\.0\.1:(\d+):/g, (_, port: string) => `127.0.0.1:${ports.get(port)}:`);
  const url = `http://127.0.0.1:${ports.get('8080')}`;
  await using directory = await tempDir();
  const wait = `until curl -sfo /dev/null '${url}/health?ready'; do sleep 0.2; done`;
  const id = (await follow(`${command}\n${wait}`, url, directory.path)).trim();
  const here: Here = (given) =>
    [...ports].reduce((all, [port, own]) => all.replaceAll(`localhost:${port}`, `127.0.0.1:${own}`), given);
  return {
    here: (given) => here(given).replaceAll(/\bport=(\d+)/g, (_, port: string) => `port=${ports.get(port)}`),
    url,
    [Symbol.asyncDispose]: async () => {
      await docker('rm', '--force', '--volumes', id);
      await docker('volume', 'rm', '--force', VOLUME);
    },
  };
}

/** A program whose statements wait. */
function waiting(text: string): string {
  const body = text.replaceAll(/^(?!$)/gm, '    ');
  return `import asyncio\nasync def main():\n${body}asyncio.run(main())\n`;
}

test('the recipe e2b, followed as it stands, prints what its commands print', TIMEOUT, async () => {
  const python = await pythonWithE2b();
  await using service = await started('e2b');
  const exports = service.here(await blockOf('e2b', 'sh', 'E2B_API_URL')).replace('$SVC_API_KEY', GUIDE_KEY);
  const env = Object.fromEntries(
    [...exports.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expect(Object.keys(env)).toHaveLength(3);
  expect(await drive(python, ['-c', await blockOf('e2b', 'python', 'Sandbox.create')], env)).toBe('hello\n2\n');
  const program = join(dirname(await driverWithE2b()), 'recipe.ts');
  await writeFile(program, await blockOf('e2b', 'ts', 'Sandbox.create'));
  expect(await drive(process.execPath, [program], env)).toMatch(/^Linux /);
});

test('the recipe swe-rex, followed as it stands, prints what its commands print', TIMEOUT, async () => {
  const python = await virtualEnvironment('swe-rex', [['install', '--quiet', 'swe-rex==1.4.0', 'aiohttp==3.14.5']]);
  await using service = await started('swe-rex');
  const text = service.here(await blockOf('swe-rex', 'python', 'RemoteRuntime('));
  expect(await drive(python, ['-c', waiting(text)], {})).toMatch(/^total \d+$/m);
});

test('the recipe cloudflare prints what its command prints', TIMEOUT, async () => {
  const python = await virtualEnvironment('cloudflare', [['install', '--quiet', 'openai-agents[cloudflare]==0.24.0']]);
  await using services = await Services.start({ SVC_API_KEY: GUIDE_KEY });
  const text = (await blockOf('cloudflare', 'python', 'client.create')).replace('http://localhost:8080', services.url);
  const printed = await drive(python, ['-c', waiting(text)], { OPENAI_AGENTS_DISABLE_TRACING: '1' });
  expect(printed).toMatch(/hello/);
});

test('the task of the recipe inspect ends, with a model that says what it expects', TIMEOUT, async () => {
  const packages = ['inspect-ai==0.3.285', 'httpx==0.28.1', 'pytest==9.2.0'];
  const python = await virtualEnvironment('inspect', [['install', '--quiet', ...packages]]);
  await using services = await Services.start({ SVC_API_KEY: GUIDE_KEY });
  await using directory = await tempDir();
  const task = (await blockOf('inspect', 'python', 'Task(')).replace('Task(\n', 'task = Task(\n');
  const program = `import sandbox_service_inspect
${task}
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
calls = [
    ModelOutput.for_tool_call("mockllm/model", "bash", {"command": "uname -s"}),
    ModelOutput.from_content("mockllm/model", "It prints Linux."),
]
for call in calls:
    # Without it tokens are counted, for which a table is downloaded.
    call.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
log = eval(task, model=get_model("mockllm/model", custom_outputs=calls), log_dir="${directory.path}", display="none")[0]
print(log.status, log.results.scores[0].metrics["accuracy"].value)
print([message.text for message in log.samples[0].messages if message.role == "tool"])
`;
  const printed = await drive(python, ['-c', program], {
    SANDBOX_URL: services.url,
    SANDBOX_API_KEY: GUIDE_KEY,
    PYTHONPATH: join(ROOT, 'integrations/inspect/src'),
  });
  expect(printed).toMatch(/^success 1\.0\n\['Linux\\?n?'\]\n$/);
});

test.each(['warm-pool', 'computer-use', 'behind-tls'])(
  'the docker run of the recipe %s starts a service',
  TIMEOUT,
  async (recipe) => {
    await using service = await started(recipe);
    expect((await fetch(`${service.url}/v2/commands`)).status).toBe(401);
  },
);
