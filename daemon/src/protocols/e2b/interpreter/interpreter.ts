import { randomBytes } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import type { CellTerms, CodePort } from '../../../core/ports/code-port.ts';
import type { Accounts } from '../accounts.ts';
import { type E2bCall, endedMessage, sendJson, sendText } from '../call.ts';
import { readBody } from '../control/bodies.ts';
import type { InitRecord } from '../state/sandboxes.ts';
import { ADD_FORMATS } from './python/formats.ts';
import { sendEvents } from './send-events.ts';
import { variableCells } from './variable-cells.ts';

/** Seconds that a cell may run: its client ends it earlier by leaving. */
const CELL_SECONDS = 86_400;
const VARIABLES_SECONDS = 60;

/** The owner of contexts that were made without a sandbox. */
const NO_SANDBOX = 'default';

/** Languages whose shared context is listed before its first cell, in the order of E2B. */
const LISTED_LANGUAGES = ['python', 'javascript'];

const LANGUAGES: Readonly<Record<string, string>> = { js: 'javascript', ts: 'typescript', py: 'python', sh: 'bash' };

const ExecuteBody = z.looseObject({
  code: z.string(),
  context_id: z.string().nullish(),
  language: z.string().max(64).nullish(),
  env_vars: z.record(z.string(), z.string()).nullish(),
});
const ContextBody = z.looseObject({ language: z.string().max(64).nullish(), cwd: z.string().max(4096).nullish() });

interface InterpreterTerms {
  readonly init: () => InitRecord;
  readonly isAlive: (sandboxId: string) => boolean;
  /** Whether each sandbox sees its own contexts alone. */
  readonly isShared: boolean;
}

interface CodeContext {
  readonly id: string;
  readonly language: string;
  readonly cwd: string;
}

/** Code of E2B's interpreter in sessions of the code capability. */
export class Interpreter {
  readonly #code: CodePort;
  readonly #accounts: Accounts;
  readonly #init: () => InitRecord;
  readonly #isAlive: (sandboxId: string) => boolean;
  readonly #isShared: boolean;

  constructor(code: CodePort, accounts: Accounts, { init, isAlive, isShared }: InterpreterTerms) {
    this.#code = code;
    this.#accounts = accounts;
    this.#init = init;
    this.#isAlive = isAlive;
    this.#isShared = isShared;
  }

  /** Ends the contexts of sandboxes that are not alive. */
  async endOrphans(): Promise<void> {
    const orphans = this.#code.sessions().filter(({ sessionId }) => {
      const owner = ownerOf(sessionId);
      return owner !== undefined && owner !== NO_SANDBOX && !this.#isAlive(owner);
    });
    await Promise.allSettled(orphans.map(({ sessionId }) => this.#code.closeSession(sessionId)));
  }

  async serve(call: E2bCall): Promise<void> {
    const { req, res, path } = call;
    const [, context, verb] = /^\/contexts(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path) ?? [];
    const route = `${req.method} ${context === undefined ? path : `/contexts/{id}${verb === undefined ? '' : `/${verb}`}`}`;
    switch (route) {
      case 'GET /health':
        return sendText(res, 200, '"OK"');
      case 'POST /execute':
        return await this.#execute(call);
      case 'GET /contexts':
        return sendJson(res, 200, this.#contexts(call));
      case 'POST /contexts':
        return sendJson(res, 200, await this.#create(call, await readBody(req, ContextBody)));
      case 'DELETE /contexts/{id}':
        await this.#code.closeSession(this.#context(call, context).id);
        return sendText(res, 200, 'null');
      case 'POST /contexts/{id}/restart':
        await this.#restart(this.#context(call, context));
        return sendText(res, 200, 'null');
      default:
        throw new SandboxError('not_found', `no such route: ${req.method} ${path}`);
    }
  }

  async #execute(call: E2bCall): Promise<void> {
    const { code, context_id: contextId, language, env_vars: variables } = await readBody(call.req, ExecuteBody);
    if (contextId && language) throw new SandboxError('invalid', 'give context_id or language, not both');
    const context = contextId ? this.#context(call, contextId) : this.#default(call, nameOf(language));
    const terms = {
      language: context.language,
      sessionId: context.id,
      cwd: context.cwd,
      env: { ...this.#init().envVars, ...call.sandbox?.envVars },
      preparation: context.language.startsWith('python') ? ADD_FORMATS : undefined,
    };
    const cells = variables && variableCells(context.language, variables);
    if (cells) await this.#runQuietly({ ...terms, code: cells.set });
    try {
      const cell = await this.#code.begin({ ...terms, code, timeoutSeconds: CELL_SECONDS }, call.gone);
      await this.#requireAlive(call);
      await sendEvents(call, cell, () => this.#hasSandbox(call));
    } finally {
      if (cells && this.#hasSandbox(call)) await this.#runQuietly({ ...terms, code: cells.restore });
    }
  }

  /** Also for a client that has left: variables of one call are not those of the next. */
  async #runQuietly(terms: Omit<CellTerms, 'timeoutSeconds'>): Promise<void> {
    const { signal } = new AbortController();
    const cell = await this.#code.begin({ ...terms, timeoutSeconds: VARIABLES_SECONDS }, signal);
    for await (const _output of cell.outputs(signal));
  }

  /** @throws SandboxError `unavailable` if the sandbox has ended while a context of it was made; that ends too */
  async #requireAlive(call: E2bCall): Promise<void> {
    if (this.#hasSandbox(call)) return;
    await this.endOrphans();
    throw new SandboxError('unavailable', endedMessage(call.sandbox?.id));
  }

  #hasSandbox({ sandbox }: E2bCall): boolean {
    return sandbox === undefined || this.#isAlive(sandbox.id);
  }

  async #create(call: E2bCall, { language, cwd }: z.infer<typeof ContextBody>): Promise<CodeContext> {
    const sessionId = contextIdOf(call, randomBytes(10).toString('hex'));
    const directory = this.#accounts.directoryOf(cwd ?? undefined, undefined);
    const session = await this.#code.createSession({ language: nameOf(language), cwd: directory, sessionId });
    await this.#requireAlive(call);
    return { id: session.sessionId, language: session.language, cwd: session.cwd };
  }

  /** A new session under the same id: its state is lost, which is what a restart is for. */
  async #restart({ id, language, cwd }: CodeContext): Promise<void> {
    await this.#code.closeSession(id);
    await this.#code.createSession({ language, cwd, sessionId: id });
  }

  /** Shared ones without a cell first; the newest is the last, as clients expect. */
  #contexts(call: E2bCall): CodeContext[] {
    const visible = this.#code.sessions().filter(({ sessionId }) => {
      return !this.#isShared || ownerOf(sessionId) === (call.sandbox?.id ?? NO_SANDBOX);
    });
    const open = visible.map(({ sessionId, language, cwd }) => ({ id: sessionId, language, cwd })).reverse();
    const shared = LISTED_LANGUAGES.map((language) => this.#default(call, language));
    return [...shared.filter(({ id }) => !open.some((one) => one.id === id)), ...open];
  }

  /** @throws SandboxError `not_found` */
  #context(call: E2bCall, id: string | undefined): CodeContext {
    const found = this.#contexts(call).find((context) => context.id === id);
    if (found) return found;
    throw new SandboxError('not_found', `Context ${id} not found`);
  }

  /** The context of a language that calls without a context share; of each sandbox another one. */
  #default(call: E2bCall, language: string): CodeContext {
    return { id: contextIdOf(call, language), language, cwd: this.#accounts.directoryOf(undefined, undefined) };
  }
}

function contextIdOf({ sandbox }: E2bCall, name: string): string {
  return `e2b-${sandbox?.id ?? NO_SANDBOX}-${name}`;
}

/** The sandbox with whose id a context was made; undefined: it is not one of this protocol. */
function ownerOf(sessionId: string): string | undefined {
  return /^e2b-(.+)-[^-]+$/.exec(sessionId)?.[1];
}

function nameOf(language: string | null | undefined): string {
  const name = (language || 'python').trim().toLowerCase();
  return LANGUAGES[name] ?? name;
}
