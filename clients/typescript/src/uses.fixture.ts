import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser, Page } from './browser/browser.ts';
import { Checkpoints } from './checkpoints/checkpoints.ts';
import { Command } from './commands/command.ts';
import { type ConnectOptions, settingsOf } from './core/settings.ts';
import { Transport } from './core/transport.ts';
import { Desktop } from './desktop/desktop.ts';
import { Files } from './files/files.ts';
import { Watch } from './files/watch.ts';
import { Notebook } from './notebook/notebook.ts';
import { Sandbox } from './sandbox.ts';
import { Terminal } from './terminal/terminal.ts';
import { Timeline } from './timeline/timeline.ts';
import { McpBridge } from './tools/mcp-bridge.ts';

/** What a use has. */
interface Given {
  readonly options: ConnectOptions;
  readonly sandbox: Sandbox;
  readonly command: Command;
  readonly notebook: Notebook;
  readonly terminal: Terminal;
  readonly page: Page;
  /** Begun before the server becomes hostile. */
  readonly watch: () => Promise<Watch>;
  /** A directory of this machine. */
  readonly local: string;
  readonly signal: AbortSignal;
}

type Use = (given: Given) => Promise<unknown>;

/** Classes of the client whose methods send requests. */
export const CLASSES = {
  Sandbox,
  Files,
  Browser,
  Desktop,
  Checkpoints,
  Timeline,
  Command,
  Notebook,
  Terminal,
  Page,
  Watch,
  McpBridge,
};

/** Methods that send nothing by themselves. */
export const LOCAL: readonly string[] = [
  'Sandbox.command',
  'Sandbox.notebook',
  'Sandbox.cdp',
  'Sandbox.port',
  'Sandbox.mcp',
  'Sandbox.url',
  'Command.url',
];

/** One use of each method that sends requests. */
export const USES: Readonly<Record<string, Use>> = {
  'Sandbox.connect': ({ options, signal }) => Sandbox.connect({ ...options, signal }),
  'Sandbox.run': ({ sandbox, signal }) => sandbox.run('true', { signal }),
  'Sandbox.spawn': ({ sandbox, signal }) => sandbox.spawn('true', { signal }),
  'Sandbox.commands': ({ sandbox, signal }) => sandbox.commands({ signal }),
  'Sandbox.terminal': ({ sandbox, signal }) => sandbox.terminal({ signal }),
  'Sandbox.checks': ({ sandbox, signal }) => sandbox.checks({ signal }),
  'Sandbox.requirePort': ({ sandbox, signal }) => sandbox.requirePort(1, { signal }),
  'Sandbox.tools': ({ sandbox, signal }) => sandbox.tools('anthropic', { signal }),
  'Sandbox.info': ({ sandbox, signal }) => sandbox.info({ signal }),
  'Sandbox.ticket': ({ sandbox, signal }) => sandbox.ticket('/v2/', { signal }),
  'Files.read': ({ sandbox, signal }) => sandbox.files.read('/f', { signal }),
  'Files.bytes': ({ sandbox, signal }) => sandbox.files.bytes('/f', { signal }),
  'Files.stream': ({ sandbox, signal }) => drained(sandbox.files.stream('/f', { signal })),
  'Files.write': ({ sandbox, signal }) => sandbox.files.write('f', 'text', { signal }),
  'Files.upload': ({ sandbox, signal }) => sandbox.files.upload(new Uint8Array(5_000_000), { to: '/f', signal }),
  'Files.download': ({ sandbox, local, signal }) => sandbox.files.download('/f', join(local, 'f'), { signal }),
  'Files.push': ({ sandbox, local, signal }) => sandbox.files.push(local, '/d', { signal }),
  'Files.pull': ({ sandbox, local, signal }) => sandbox.files.pull('/d', join(local, 'd'), { signal }),
  'Files.list': ({ sandbox, signal }) => sandbox.files.list('/d', { signal }),
  'Files.walk': ({ sandbox, signal }) => drained(sandbox.files.walk('/d', { signal })),
  'Files.stat': ({ sandbox, signal }) => sandbox.files.stat('/f', { signal }),
  'Files.exists': ({ sandbox, signal }) => sandbox.files.exists('/f', { signal }),
  'Files.makeDirectory': ({ sandbox, signal }) => sandbox.files.makeDirectory('/d', { signal }),
  'Files.remove': ({ sandbox, signal }) => sandbox.files.remove('/f', { signal }),
  'Files.move': ({ sandbox, signal }) => sandbox.files.move('/f', '/g', { signal }),
  'Files.copy': ({ sandbox, signal }) => sandbox.files.copy('/f', '/g', { signal }),
  'Files.replace': ({ sandbox, signal }) => sandbox.files.replace('/f', 'a', 'b', { signal }),
  'Files.search': ({ sandbox, signal }) => sandbox.files.search('/d', '*', { signal }),
  'Files.grep': ({ sandbox, signal }) => sandbox.files.grep('/d', 'a', { signal }),
  'Files.watch': ({ sandbox, signal }) => sandbox.files.watch('/d', undefined, { signal }),
  'Browser.open': ({ sandbox, signal }) => sandbox.browser.open('about:blank', { signal }),
  'Browser.pages': ({ sandbox, signal }) => sandbox.browser.pages({ signal }),
  'Desktop.screenshot': ({ sandbox, signal }) => sandbox.desktop.screenshot({ signal }),
  'Desktop.click': ({ sandbox, signal }) => sandbox.desktop.click({ x: 1, y: 1 }, { signal }),
  'Desktop.move': ({ sandbox, signal }) => sandbox.desktop.move({ x: 1, y: 1 }, { signal }),
  'Desktop.drag': ({ sandbox, signal }) => sandbox.desktop.drag({ x: 1, y: 1 }, { signal }),
  'Desktop.scroll': ({ sandbox, signal }) => sandbox.desktop.scroll(1, 1, { signal }),
  'Desktop.type': ({ sandbox, signal }) => sandbox.desktop.type('a', { signal }),
  'Desktop.press': ({ sandbox, signal }) => sandbox.desktop.press(['a'], { signal }),
  'Desktop.act': ({ sandbox, signal }) => sandbox.desktop.act({}, { signal }),
  'Desktop.clipboard': ({ sandbox, signal }) => sandbox.desktop.clipboard({ signal }),
  'Desktop.record': ({ sandbox, signal }) => sandbox.desktop.record('status', { signal }),
  'Checkpoints.create': ({ sandbox, signal }) => sandbox.checkpoints.create('/d', { signal }),
  'Checkpoints.list': ({ sandbox, signal }) => sandbox.checkpoints.list({ signal }),
  'Checkpoints.diff': ({ sandbox, signal }) => sandbox.checkpoints.diff('c', { signal }),
  'Checkpoints.restore': ({ sandbox, signal }) => sandbox.checkpoints.restore('c', { signal }),
  'Checkpoints.read': ({ sandbox, signal }) => sandbox.checkpoints.read('c', 'f', { signal }),
  'Checkpoints.export': ({ sandbox, signal }) => drained(sandbox.checkpoints.export('c', { signal })),
  'Checkpoints.importArchive': ({ sandbox, signal }) =>
    sandbox.checkpoints.importArchive(new Uint8Array(1), { signal }),
  'Checkpoints.remove': ({ sandbox, signal }) => sandbox.checkpoints.remove('c', { signal }),
  'Timeline.read': ({ sandbox, signal }) => sandbox.timeline.read({ signal }),
  'Timeline.follow': ({ sandbox, signal }) => drained(sandbox.timeline.follow({ signal })),
  'Command.info': ({ command, signal }) => command.info({ signal }),
  'Command.output': ({ command, signal }) => drained(command.output({ signal })),
  'Command.lines': ({ command, signal }) => drained(command.lines({ signal })),
  'Command.wait': ({ command, signal }) => command.wait({ signal }),
  'Command.write': ({ command, signal }) => command.write('a', { signal }),
  'Command.closeInput': ({ command, signal }) => command.closeInput({ signal }),
  'Command.kill': ({ command, signal }) => command.kill('SIGTERM', { signal }),
  'Command.port': ({ command, signal }) => command.port(1, { signal }),
  'Notebook.run': ({ notebook, signal }) => notebook.run('1', { signal }),
  'Notebook.interrupt': ({ notebook, signal }) => notebook.interrupt({ signal }),
  'Notebook.restart': ({ notebook, signal }) => notebook.restart({ signal }),
  'Notebook.close': ({ notebook, signal }) => notebook.close({ signal }),
  'Terminal.open': ({ sandbox, signal }) => sandbox.terminal({ id: 'a', signal }),
  'Terminal.write': ({ terminal, signal }) => terminal.write('a', { signal }),
  'Terminal.output': ({ terminal, signal }) => drained(terminal.output({ signal })),
  'Terminal.screen': ({ terminal, signal }) => terminal.screen({ signal }),
  'Terminal.exec': ({ terminal, signal }) => terminal.exec('true', { signal }),
  'Terminal.resize': ({ terminal, signal }) => terminal.resize(80, 24, { signal }),
  'Terminal.signal': ({ terminal, signal }) => terminal.signal('SIGINT', { signal }),
  'Terminal.info': ({ terminal, signal }) => terminal.info({ signal }),
  'Terminal.close': ({ terminal, signal }) => terminal.close({ signal }),
  'Page.navigate': ({ page, signal }) => page.navigate('about:blank', { signal }),
  'Page.snapshot': ({ page, signal }) => page.snapshot({ signal }),
  'Page.click': ({ page, signal }) => page.click({ x: 1, y: 1 }, { signal }),
  'Page.fill': ({ page, signal }) => page.fill({ selector: 'a' }, 'a', { signal }),
  'Page.evaluate': ({ page, signal }) => page.evaluate('1', { signal }),
  'Page.screenshot': ({ page, signal }) => page.screenshot({ signal }),
  'Page.close': ({ page, signal }) => page.close({ signal }),
  'McpBridge.exchange': ({ sandbox, signal }) =>
    drained(sandbox.mcp().exchange({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, signal)),
  'Watch.iterate': async ({ watch }) => drained(await watch()),
  'Watch.close': async ({ watch, signal }) => (await watch()).close({ signal }),
};

/** Of requests to which even a hostile server gives the good answer to POST /v2/watch. */
const GOOD = { 'x-good': 'yes' };

export const WATCH_CREATED = { watcher_id: 'w', initial_cursor: 0, reused: false };

export async function givenFor(options: ConnectOptions, signal: AbortSignal): Promise<Given> {
  const sandbox = Sandbox.at(options);
  const local = await mkdtemp(join(tmpdir(), 'client-uses-'));
  await writeFile(join(local, 'sent'), 'sent');
  const transport = new Transport(settingsOf(options));
  return {
    options,
    sandbox,
    command: sandbox.command('c'),
    notebook: sandbox.notebook(),
    terminal: new Terminal(transport, 't'),
    page: new Page(transport, 'p'),
    watch: () => Sandbox.at({ ...options, headers: GOOD }).files.watch('/d', undefined, { signal }),
    local,
    signal,
  };
}

async function drained(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}
