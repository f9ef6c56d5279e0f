import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, docker } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { commandsOf, follow, GUIDE_KEY } from '../guide-commands.ts';
import { LABEL } from '../setup/images.ts';
import { pollByProcess } from './observe.ts';

const KEY = { authorization: `Bearer ${GUIDE_KEY}`, 'content-type': 'application/json' };

/** A command of docs/getting-started.md with its continuation lines joined. */
async function commandOf(begin: string): Promise<string> {
  const guide = (await readFile(join(ROOT, 'docs/getting-started.md'), 'utf8')).replaceAll('\\\n', ' ');
  const line = guide.split('\n').find((text) => text.startsWith(begin));
  if (line === undefined) throw new Error(`the guide has no ${begin}`);
  return line;
}

async function shell(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { ok, stdout, stderr } = await capture(['env', '-C', ROOT, 'bash', '-ec', script], env);
  if (!ok) throw new Error(stderr);
  return stdout.trim();
}

async function run(url: string, command: string): Promise<string> {
  const answer = await fetch(`${url}/v2/commands`, { method: 'POST', headers: KEY, body: JSON.stringify({ command }) });
  return ((await answer.json()) as { data: { stdout: string } }).data.stdout;
}

test('[images.readme-run] the docker run of the guide starts a container that becomes healthy and serves its calls', async () => {
  const port = await freePort();
  const labels = Object.entries(LABEL).map(([name, value]) => `--label '${name}=${value}'`);
  const line = (await commandOf('docker run '))
    .replace('--name sandbox', labels.join(' '))
    .replace('127.0.0.1:8080:', `127.0.0.1:${port}:`);
  const id = await shell(line);
  try {
    const health = (): Promise<string> => docker('inspect', '--format', '{{.State.Health.Status}}', id);
    await pollByProcess(health).toBe('healthy');
    expect(await docker('inspect', '--format', '{{.HostConfig.RestartPolicy.Name}}', id)).toBe('unless-stopped');
    expect(await run(`http://127.0.0.1:${port}`, 'id -un')).toBe('sandbox\n');
    await using directory = await tempDir();
    const output = await follow(await commandsOf('First calls'), `http://127.0.0.1:${port}`, directory.path);
    expect(output).not.toContain('"success":false');
    expect(output.match(/"success":true/g)?.length).toBeGreaterThanOrEqual(6);
    expect(await readFile(join(directory.path, 'hello.txt'), 'utf8')).toBe('hello\n');
    expect(await run(`http://127.0.0.1:${port}`, 'cat /tmp/copy/hello.txt')).toBe('hello\n');
  } finally {
    await docker('rm', '--force', '--volumes', id);
  }
});

test('[images.compose] compose becomes healthy, with the key of .env and the workspace as the home', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-compose-'));
  const [port, project] = [await freePort(), `sandbox-e2e-${process.pid}`];
  const environment = join(directory, '.env');
  const compose = `docker compose --project-name ${project} --env-file ${environment}`;
  const env = { SANDBOX_PORT: String(port), SANDBOX_WORKSPACE: join(directory, 'workspace') };
  try {
    await shell((await commandOf('echo "SVC_API_KEY')).replace('.env', environment));
    const { services } = JSON.parse(await shell(`${compose} config --format json`, env));
    // The health check is that of the image, with its interval.
    expect(services.sandbox).not.toHaveProperty('healthcheck');
    expect(await readFile(join(ROOT, 'images/Dockerfile'), 'utf8')).toMatch(
      new RegExp(`^FROM .* AS ${services.sandbox.build.target}$`, 'm'),
    );
    // The service desktop has a profile.
    expect(Object.keys(services)).toEqual(['sandbox']);
    const up = (await commandOf('docker compose up')).replace('docker compose', compose);
    expect(await shell(`${up} 2>&1`, env)).not.toMatch(/WARN|level=warning|ignored/);
    expect((await fetch(`http://127.0.0.1:${port}/v2/commands`)).status).toBe(401);
    expect(await run(`http://127.0.0.1:${port}`, 'echo made > here; df -h --output=size /dev/shm | tail -n 1')).toMatch(
      /4.0G/,
    );
    expect(await stat(join(directory, 'workspace/here'))).toMatchObject({ size: 5 });
    const log = await shell(`${compose} logs`, env);
    expect(log).not.toContain('its sandbox is off');
    expect(log).not.toContain('is readable for');
    expect(await run(`http://127.0.0.1:${port}`, 'cat /run/secrets/api_key 2>&1 || true')).toContain(
      'Permission denied',
    );
  } finally {
    await shell(`${compose} down --volumes --timeout 10`, env);
    await rm(directory, { recursive: true });
  }
});

test('[images.compose-desktop] the service desktop becomes healthy, with a worker, a home and a port of its own', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-compose-'));
  const port = await freePort();
  const compose = `docker compose --project-name sandbox-e2e-desktop-${process.pid}`;
  const env = {
    SVC_API_KEY: GUIDE_KEY,
    DESKTOP_PORT: String(port),
    DESKTOP_WORKSPACE: join(directory, 'workspace'),
  };
  try {
    await shell(`${compose} up --wait desktop`, env);
    expect(await shell(`${compose} ps --services`, env)).toBe('desktop');
    const url = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${url}/v2/computer/info`, { headers: KEY });
    expect(await answer.json()).toMatchObject({ data: { available: true, warnings: [] } });
    await run(url, 'echo made > here');
    expect(await stat(join(directory, 'workspace/here'))).toMatchObject({ size: 5 });
  } finally {
    await shell(`${compose} down --volumes --timeout 10`, env);
    await rm(directory, { recursive: true });
  }
});
