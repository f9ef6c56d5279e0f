import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/root.ts';
import type { Hands } from './task.ts';

const PACKAGE = 'chrome-devtools-mcp';
const VERSION = '1.11.0';

/** The program of the package; it is installed once. */
async function installed(): Promise<string> {
  const directory = join(ROOT, `dist/clients/${PACKAGE}-${VERSION}`);
  const program = join(directory, `node_modules/${PACKAGE}/build/src/bin/chrome-devtools-mcp.js`);
  if (existsSync(program)) return program;
  await mkdir(directory, { recursive: true });
  const args = ['install', '--prefix', directory, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  await promisify(execFile)('npm', [...args, `${PACKAGE}@${VERSION}`]);
  return program;
}

/** A client of an MCP server on standard input and output. */
class McpProcess {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>();
  #lastId = 0;

  constructor(program: string, args: readonly string[]) {
    const env = { ...process.env, CI: 'true' };
    this.#child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'ignore'], env });
    if (this.#child.stdout) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const message = JSON.parse(line);
        this.#answers.get(message.id)?.(message);
      });
    }
  }

  async ask(method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<{ result?: unknown; error?: unknown }>((resolve) => this.#answers.set(id, resolve));
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  async use(name: string, args: object): Promise<string> {
    const { content, isError } = (await this.ask('tools/call', { name, arguments: args })) as {
      content: { text?: string }[];
      isError?: boolean;
    };
    const text = content.map((part) => part.text ?? '').join('\n');
    if (isError) throw new Error(`${name}: ${text}`);
    return text;
  }

  stop(): void {
    this.#child.kill();
  }
}

/** chrome-devtools-mcp on a new tab, by the public port with the key in a header. */
export async function devtoolsMcpHands(endpoint: string, headers: Record<string, string>): Promise<Hands> {
  const args = ['--wsEndpoint', endpoint, '--wsHeaders', JSON.stringify(headers), '--no-page-id-routing'];
  const mcp = new McpProcess(await installed(), [...args, '--workspace=/tmp']);
  const client = { name: 'clients', version: '1' };
  await mcp.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: client });
  const uidOf = async (name: string): Promise<string> => {
    const snapshot = await mcp.use('take_snapshot', {});
    const [, uid] =
      new RegExp(`uid=(\\S+) (?:button|link|textbox|combobox)[^\\n]* ?"${name}"`, 'i').exec(snapshot) ?? [];
    if (uid === undefined) throw new Error(`no "${name}" in ${snapshot}`);
    return uid;
  };
  const run = (script: string): Promise<string> => mcp.use('evaluate_script', { function: script });
  const press = async (name: string): Promise<void> => void (await mcp.use('click', { uid: await uidOf(name) }));
  await mcp.use('new_page', { url: 'about:blank' });
  return {
    open: async (url) => void (await mcp.use('navigate_page', { type: 'url', url })),
    fill: async (label, value) => void (await mcp.use('fill', { uid: await uidOf(label), value })),
    choose: async (label, value) => void (await mcp.use('fill', { uid: await uidOf(label), value })),
    press,
    pressInFrame: press,
    pressAndAccept: async (name) => {
      await press(name).catch(() => {});
      await mcp.use('handle_dialog', { action: 'accept' });
    },
    attach: async (label, path) => void (await mcp.use('upload_file', { uid: await uidOf(label), filePaths: [path] })),
    scroll: async () => void (await run('() => window.scrollTo(0, document.body.scrollHeight)')),
    back: async () => void (await mcp.use('navigate_page', { type: 'back' })),
    forward: async () => void (await mcp.use('navigate_page', { type: 'forward' })),
    text: () => run('() => document.body.innerText'),
    close: async () => mcp.stop(),
  };
}
