import { Browser } from './browser/browser.ts';
import { Checkpoints } from './checkpoints/checkpoints.ts';
import { Command } from './commands/command.ts';
import { type RunOptions, type RunResult, run } from './commands/run.ts';
import { type StartOptions, startBody } from './commands/start.ts';
import { type Camel, camel } from './core/camel.ts';
import { RequestFailed } from './core/errors.ts';
import { RemotePaths } from './core/remote-paths.ts';
import { type ConnectOptions, settingsOf } from './core/settings.ts';
import { notOfSandbox } from './core/shape.ts';
import { createTicket, type Ticket, type TicketOptions } from './core/tickets.ts';
import { Transport } from './core/transport.ts';
import { Desktop } from './desktop/desktop.ts';
import { type CallOptions, Files } from './files/files.ts';
import { Notebook, type NotebookOptions } from './notebook/notebook.ts';
import { Terminal, type TerminalOptions } from './terminal/terminal.ts';
import { Timeline } from './timeline/timeline.ts';
import { McpBridge } from './tools/mcp-bridge.ts';
import { type ToolForms, toolsFor } from './tools/tools.ts';
import type * as wire from './wire.ts';

export type SandboxInfo = Camel<Omit<wire.SandboxInfo, 'labels' | 'capabilities'>> & {
  readonly labels: Readonly<Record<string, string>>;
};

/** Seconds that `connect` waits for a service that does not answer. */
const CONNECT_FOR = 10;

/** A sandbox: commands, files, terminals, code, a browser and a desktop. It holds no connection of its own. */
export class Sandbox {
  readonly files: Files;
  readonly browser: Browser;
  readonly desktop: Desktop;
  readonly checkpoints: Checkpoints;
  readonly timeline: Timeline;
  readonly #transport: Transport;
  readonly #paths: RemotePaths;

  private constructor(transport: Transport) {
    this.#transport = transport;
    this.#paths = new RemotePaths(transport);
    this.files = new Files(transport, this.#paths);
    this.browser = new Browser(transport);
    this.desktop = new Desktop(transport);
    this.checkpoints = new Checkpoints(transport);
    this.timeline = new Timeline(transport);
  }

  /**
   * Finds the sandbox by the options, else by `SANDBOX_URL` and `SANDBOX_API_KEY`, and asks it whether they are right.
   * @throws ConnectionLost, RequestFailed with status 401 for a wrong key
   */
  static async connect(options: ConnectOptions & CallOptions = {}): Promise<Sandbox> {
    const sandbox = Sandbox.at(options);
    const retryFor = Math.min(sandbox.#transport.settings.retryFor, CONNECT_FOR);
    const call = { signal: options.signal, retryFor, silence: CONNECT_FOR };
    // Another service may answer any path with JSON.
    await sandbox.#transport.json('/v2/sandbox/activity', { data: { state: 'string' } }, call);
    return sandbox;
  }

  /** As `connect`, without a request: the first call shows whether the options are right. */
  static at(options: ConnectOptions = {}): Sandbox {
    return new Sandbox(new Transport(settingsOf(options)));
  }

  /** Runs a command to its end. @throws CommandFailed if it fails, unless `check` is false */
  async run(command: string, options: RunOptions = {}): Promise<RunResult> {
    return await run(this.#transport, command, await this.#resolved(options));
  }

  /** Starts a command that runs beside the caller, with stdin open. */
  async spawn(command: string, options: StartOptions = {}): Promise<Command> {
    const json = { ...startBody(this.#transport, command, await this.#resolved(options)), mode: 'async' };
    const call = { method: 'POST', json, repeatable: true, signal: options.signal } as const;
    const { command_id } = await this.#transport.data('/v2/commands', 'CommandResult', call);
    return new Command(this.#transport, command_id, 0);
  }

  /** A command that was started before, also by another client. */
  command(id: string): Command {
    return new Command(this.#transport, id);
  }

  /** The newest commands first. */
  async commands(options: CallOptions & { readonly limit?: number } = {}): Promise<readonly Camel<wire.Command>[]> {
    const call = { query: { limit: options.limit }, signal: options.signal };
    return camel((await this.#transport.data('/v2/commands', 'CommandList', call)).commands);
  }

  /** Opens a terminal, or attaches to the one with the id. */
  async terminal(options: TerminalOptions = {}): Promise<Terminal> {
    return await Terminal.open(this.#transport, await this.#resolved(options));
  }

  /** Cells of a session, which is made by the first one. */
  notebook(language = 'python', options: NotebookOptions = {}): Notebook {
    return new Notebook(this.#transport, language, options);
  }

  /** What Playwright and Puppeteer connect to. */
  cdp(): { readonly webSocketUrl: string; readonly headers: Readonly<Record<string, string>> } {
    return { webSocketUrl: this.#transport.url('/cdp').replace(/^http/, 'ws'), headers: this.#transport.headers() };
  }

  /** What a WebSocket client connects to for the bytes of a TCP port of the sandbox (docs/ports.md). */
  port(port: number): { readonly webSocketUrl: string; readonly headers: Readonly<Record<string, string>> } {
    const url = this.#transport.url(`/v2/ports/${port}/connect`);
    return { webSocketUrl: url.replace(/^http/, 'ws'), headers: this.#transport.headers() };
  }

  /** Asks whether `port` may be used. @throws RequestFailed with status 401 for a wrong key, 403 without a permission */
  async requirePort(port: number, options: CallOptions = {}): Promise<void> {
    const isExpected = (error: unknown): boolean => error instanceof RequestFailed && error.status === 426;
    try {
      await this.#transport.send(`/v2/ports/${port}/connect`, options);
    } catch (error) {
      // The service wants a WebSocket.
      if (isExpected(error)) return;
      throw error;
    }
    throw notOfSandbox('it accepts a WebSocket without one');
  }

  /** What the service examines of itself, with a hint for what is missing. */
  async checks(options: CallOptions = {}): Promise<wire.Capabilities['checks']> {
    return (await this.#transport.data('/v2/sandbox', 'SandboxInfo', options)).capabilities.checks;
  }

  /** The tools of the sandbox for a model, in the form of its framework, or the address for a client of MCP. */
  async tools<Form extends keyof ToolForms>(form: Form, options: CallOptions = {}): Promise<ToolForms[Form]> {
    return await toolsFor(this.#transport, form, options.signal);
  }

  /** Passes messages of MCP on, for a client that cannot send them itself. */
  mcp(): McpBridge {
    return new McpBridge(this.#transport);
  }

  async info(options: CallOptions = {}): Promise<SandboxInfo> {
    const { labels, capabilities: _, ...rest } = await this.#transport.data('/v2/sandbox', 'SandboxInfo', options);
    return { ...camel(rest), labels };
  }

  /** The address of a port of the sandbox. */
  url(port: number): string {
    return `${this.#transport.settings.base}/proxy/${port}/`;
  }

  /** A link for a path and what is below it, such as `/vnc/`, that works without the key. */
  async ticket(path: string, options: TicketOptions = {}): Promise<Ticket> {
    return await createTicket(this.#transport, path, options);
  }

  async #resolved<T extends { readonly cwd?: string | undefined; readonly signal?: AbortSignal | undefined }>(
    options: T,
  ): Promise<T> {
    return options.cwd === undefined
      ? options
      : { ...options, cwd: await this.#paths.resolve(options.cwd, options.signal) };
  }
}
