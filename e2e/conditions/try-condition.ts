import { setTimeout as delay } from 'node:timers/promises';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { capture, docker } from '../../scripts/images/docker.ts';
import { LABEL } from '../setup/images.ts';
import { argumentsOf, type Condition } from './conditions.ts';

/** How long one step may take on a busy machine. */
const STEP_MS = 90_000;
const LOOK_MS = 250;
const PAGE = 'data:text/html,<title>page</title><p>seen</p>';

/** As `sandboxd doctor` examines. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly hint?: string;
}

type Ask = (
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly type: string; readonly data: unknown }>;

/** What a person and an agent do first; each throws, or the answer has what it says. */
const STEPS: Readonly<Record<string, (ask: Ask, image: string, condition: Condition) => Promise<unknown>>> = {
  ready: (ask) => until(async () => (await ask('/ready')).status === 200),
  healthy: (ask) => until(async () => (await ask('/health?ready')).status === 200),
  // What the memory is not enough for is named, with the figure and the next step.
  memory: async (ask, _image, { memory }) => {
    const { data } = await ask('/v2/sandbox');
    const checks: readonly Check[] = JSON.parse(String(data)).data.capabilities.checks;
    const found = checks.find(({ name }) => name === 'memory');
    const isNamed = found?.ok === false && found.detail.startsWith('512 MiB: ') && found.hint !== undefined;
    if (isNamed !== (memory === '512 MiB') || found === undefined) throw new Error(JSON.stringify(checks));
  },
  command: async (ask) => has(await ask('/v2/commands', { command: 'echo $((6 * 7)) >file && cat file' }), '42'),
  terminal: async (ask) => {
    has(await ask('/v2/pty/sessions', { id: 't' }), 't');
    has(await ask('/v2/pty/sessions/t/exec', { command: 'echo "$((6 * 7))"', timeout: 60 }), '42');
  },
  cell: async (ask) => has(await ask('/v2/code/execute', { language: 'python', code: '6 * 7', timeout: 60 }), '42'),
  'file tree': async (ask) => {
    const { data } = await ask('/v2/commands', { command: 'printf %s ~' });
    const home = JSON.parse(String(data)).data.stdout;
    has(await ask(`/v2/fs/list?path=${encodeURIComponent(home)}`), '"file"');
  },
  'browser page': async (ask) => {
    has(await ask('/v2/browser/start', {}), '');
    has(await ask('/v2/browser/navigate', { url: PAGE, timeout: 60 }), 'page');
  },
  picture: async (ask, image) => {
    const path = image === DESKTOP_IMAGE ? '/v2/computer/screenshot' : '/v2/browser/screenshot';
    const { status, type } = await ask(path);
    if (status !== 200 || !type.startsWith('image/')) throw new Error(`${path}: ${status} ${type}`);
  },
};

/**
 * Starts a container of an image under a condition, uses it and stops it.
 * @returns the steps that failed, with the reason
 */
export async function tryCondition(image: string, condition: Condition): Promise<string[]> {
  const labels = Object.entries(LABEL).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
  const options = ['--publish', '127.0.0.1::8080', '--shm-size', '1g'];
  const id = await docker('run', '--detach', ...labels, ...options, ...argumentsOf(condition), image);
  try {
    const address = (await docker('port', id, '8080/tcp')).split('\n')[0] ?? '';
    const failed: string[] = [];
    let hasEnded = false;
    const ended = capture(['docker', 'wait', id]).then(({ stdout }) => {
      hasEnded = true;
      return `the container ended with exit code ${stdout.trim()}`;
    });
    for (const [name, step] of Object.entries(STEPS)) {
      const done = step(askAt(`http://${address}`), image, condition).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      const reason = await Promise.race([done, ended]);
      if (reason !== undefined) failed.push(`${name}: ${reason}`);
      if (hasEnded) break;
    }
    await docker('stop', '--time', '20', id);
    const code = await docker('inspect', '--format', '{{.State.ExitCode}}', id);
    if (code !== '0') failed.push(`stop: exit ${code}`);
    if (failed.length > 0) failed.push((await capture(['docker', 'logs', '--tail', '20', id])).stdout);
    return failed;
  } finally {
    await docker('rm', '--force', '--volumes', id);
  }
}

function askAt(url: string): Ask {
  return async (path, body) => {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const answer = await fetch(url + path, { ...init, signal: AbortSignal.timeout(STEP_MS) });
    const type = answer.headers.get('content-type') ?? '';
    const data = type.startsWith('image/') ? await answer.arrayBuffer() : await answer.text();
    return { status: answer.status, type, data };
  };
}

function has({ status, data }: Awaited<ReturnType<Ask>>, text: string): void {
  if (status !== 200 || !String(data).includes(text)) throw new Error(`${status} ${String(data).slice(0, 300)}`);
}

/** Waits until a look succeeds; one that throws, as before something listens, does not. */
async function until(look: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + STEP_MS;
  while (!(await look().catch(() => false))) {
    if (performance.now() > end) throw new Error(`not within ${STEP_MS / 1000} s`);
    await delay(LOOK_MS);
  }
}
