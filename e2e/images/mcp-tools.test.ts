import { describe, expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { untilHealthy } from './observe.ts';
import { type Sandbox, sharedSandbox } from './sandbox.ts';

const KEY = 'key-of-the-tools';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const SHOW = `from base64 import b64decode\nfrom IPython.display import Image\nImage(b64decode("${PIXEL}")) if total else None`;
const SERVER = 'mkdir -p site && echo served > site/index.html && exec python3 -m http.server --directory site 8123';

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
}

interface Result {
  readonly content: readonly Content[];
  readonly structuredContent?: Readonly<Record<string, never>>;
  readonly isError?: boolean;
}

function call(sandbox: Sandbox, name: string, args: object): Promise<Result> {
  return sandbox.mcp<Result>('tools/call', { name, arguments: args });
}

/** What a tool answers as JSON. */
async function dataOf<T>(sandbox: Sandbox, name: string, args: object): Promise<T> {
  const result = await call(sandbox, name, args);
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
  return (result.structuredContent ?? JSON.parse(result.content[0]?.text ?? '')) as T;
}

interface Found {
  readonly nodes: readonly { readonly node_id: string }[];
}

async function writeInEditor(sandbox: Sandbox): Promise<void> {
  await untilHealthy(sandbox);
  await sandbox.run('exec mousepad', { mode: 'async' });
  const text = { action: 'find', scope: 'desktop', role: 'text', states: 'editable,multi line' };
  const find = () => dataOf<Found>(sandbox, 'sandbox_accessibility', text);
  await expect.poll(async () => (await find()).nodes.length).toBeGreaterThan(0);
  const node_id = (await find()).nodes[0]?.node_id ?? '';
  const value = 'written without a pixel';
  await dataOf(sandbox, 'sandbox_accessibility', { action: 'set_value', node_id, value });
  const tree = { action: 'tree', scope: 'desktop', node_id };
  expect(JSON.stringify(await dataOf(sandbox, 'sandbox_accessibility', tree))).toContain(value);
}

async function isRefused(sandbox: Sandbox): Promise<void> {
  const { isError, content } = await call(sandbox, 'sandbox_accessibility', { action: 'tree' });
  expect([isError, content[0]?.text]).toEqual([true, expect.stringMatching(/desktop/)]);
}

const IMAGES = [
  { title: 'the image', image: DAEMON_IMAGE, useElements: isRefused },
  { title: 'the image with a desktop', image: DESKTOP_IMAGE, useElements: writeInEditor },
];

describe.each(IMAGES)('an agent that has MCP alone, in $title', ({ image, useElements }) => {
  const shared = sharedSandbox({ image, env: { SVC_API_KEY: KEY, BROWSER_START_MODE: 'manual' } });

  test('[mcp.code-session] a session keeps its variables, and a picture is one', async () => {
    const session = { action: 'execute', session_id: 'work' };
    const first = await call(shared(), 'sandbox_code', { ...session, code: 'total = 1' });
    expect(first.content[0]?.text).toBe('(no output)\n[session_id: work, status: ok]');
    const { content } = await call(shared(), 'sandbox_code', { ...session, code: SHOW });
    const picture = content.find(({ type }) => type === 'image');
    expect(picture?.data).toBe(PIXEL);
  });

  test('[mcp.terminal] a REPL is used in a terminal', async () => {
    const session_id = 'repl';
    await dataOf(shared(), 'sandbox_terminal', { action: 'open', session_id });
    await dataOf(shared(), 'sandbox_terminal', { action: 'exec', session_id, command: 'python3 -i', timeout: 1 });
    await dataOf(shared(), 'sandbox_terminal', { action: 'input', session_id, input: '6 * 7', press_enter: true });
    const screen = () => dataOf<{ output: string }>(shared(), 'sandbox_terminal', { action: 'screen', session_id });
    await expect.poll(async () => (await screen()).output).toMatch(/6 \* 7\s+42\s/);
  });

  test('[mcp.preview] a link opens what a program serves, without a key, and nothing else', async () => {
    await shared().run(SERVER, { mode: 'async' });
    const link = () => dataOf<{ url: string; is_listening: boolean }>(shared(), 'sandbox_preview', { port: 8123 });
    await expect.poll(async () => (await link()).is_listening).toBe(true);
    const url = new URL((await link()).url);
    expect(url.origin).toBe(shared().url);
    const opened = await fetch(url, { redirect: 'manual' });
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const page = opened.status === 200 ? opened : await fetch(`${url.origin}${url.pathname}`, { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([200, 'served\n']);
    const other = await fetch(`${url.origin}/v2/commands${url.search}`);
    expect(other.status).toBe(401);
  });

  test('[mcp.watch] [mcp.resources] a change is seen, and the file is a resource', async () => {
    const started = { action: 'start', path: '~' };
    const { watcher_id, cursor } = await dataOf<{ watcher_id: string; cursor: number }>(
      shared(),
      'sandbox_watch',
      started,
    );
    await shared().run('echo hello > ~/seen.txt');
    const poll = { action: 'poll', watcher_id, cursor, timeout: 20 };
    const { changes } = await dataOf<{ changes: readonly { path: string }[] }>(shared(), 'sandbox_watch', poll);
    const path = changes.find((change) => change.path.endsWith('/seen.txt'))?.path ?? '';
    const { contents } = await shared().mcp<{ contents: readonly { text: string }[] }>('resources/read', {
      uri: `file://${path}`,
    });
    expect(contents[0]?.text).toBe('hello\n');
  });

  test('[mcp.checkpoint] a project is broken, compared with its checkpoint and restored', async () => {
    const work = (step: string) => dataOf(shared(), 'sandbox_execute_bash', { cmd: `cd ~/project && ${step}` });
    const checkpoint = <T>(args: object) => dataOf<T>(shared(), 'sandbox_checkpoint', args);
    await dataOf(shared(), 'sandbox_execute_bash', { cmd: 'mkdir ~/project && echo good > ~/project/main.py' });
    const { checkpoint_id } = await checkpoint<{ checkpoint_id: string }>({ action: 'create', path: '~/project' });
    await work('echo broken > main.py && touch new');
    const { changes } = await checkpoint<{ changes: readonly object[] }>({ action: 'diff', checkpoint_id });
    expect(changes).toEqual([
      { type: 'modified', path: 'main.py' },
      { type: 'added', path: 'new' },
    ]);
    const restored = await checkpoint({ action: 'restore', checkpoint_id, delete_new: true });
    expect(restored).toMatchObject({ change_count: expect.any(Number), not_restored_count: 0 });
    expect((await shared().run('cd ~/project && ls && cat main.py')).stdout).toBe('main.py\ngood\n');
  });

  test('[mcp.accessibility] a program is used by its elements alone, and without a desktop the error says so', async () => {
    await useElements(shared());
  });
});
