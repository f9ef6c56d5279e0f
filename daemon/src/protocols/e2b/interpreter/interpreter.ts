import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import type { CodePort } from '../../../core/ports/code-port.ts';
import type { Accounts } from '../accounts.ts';
import { type E2bCall, sendJson, sendText } from '../call.ts';
import { readBody } from '../control/bodies.ts';
import type { InitRecord } from '../state/sandboxes.ts';
import { sendEvents } from './send-events.ts';
import { variablesCode } from './variables-code.ts';

/** Seconds that a cell may run: its client ends it earlier by leaving. */
const CELL_SECONDS = 86_400;
const VARIABLES_SECONDS = 60;

const LANGUAGES: Readonly<Record<string, string>> = { js: 'javascript', ts: 'typescript', py: 'python', sh: 'bash' };

const ExecuteBody = z.looseObject({
  code: z.string(),
  context_id: z.string().nullish(),
  language: z.string().max(64).nullish(),
  env_vars: z.record(z.string(), z.string()).nullish(),
});
const ContextBody = z.looseObject({ language: z.string().max(64).nullish(), cwd: z.string().max(4096).nullish() });

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

  constructor(code: CodePort, accounts: Accounts, init: () => InitRecord) {
    this.#code = code;
    this.#accounts = accounts;
    this.#init = init;
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
        return sendJson(res, 200, this.#contexts());
      case 'POST /contexts':
        return sendJson(res, 200, await this.#create(await readBody(req, ContextBody)));
      case 'DELETE /contexts/{id}':
        await this.#code.closeSession(this.#context(context).id);
        return sendText(res, 200, 'null');
      case 'POST /contexts/{id}/restart':
        await this.#restart(this.#context(context));
        return sendText(res, 200, 'null');
      default:
        throw new SandboxError('not_found', `no such route: ${req.method} ${path}`);
    }
  }

  async #execute(call: E2bCall): Promise<void> {
    const { code, context_id: contextId, language, env_vars: variables } = await readBody(call.req, ExecuteBody);
    if (contextId && language) throw new SandboxError('invalid', 'give context_id or language, not both');
    const context = contextId ? this.#context(contextId) : this.#default(call, nameOf(language));
    const terms = {
      language: context.language,
      sessionId: context.id,
      cwd: context.cwd,
      env: { ...this.#init().envVars, ...call.sandbox?.envVars },
    };
    const setting = variables && variablesCode(context.language, variables);
    if (setting) {
      const cell = await this.#code.begin({ ...terms, code: setting, timeoutSeconds: VARIABLES_SECONDS }, call.gone);
      for await (const _output of cell.outputs(call.gone));
    }
    const cell = await this.#code.begin({ ...terms, code, timeoutSeconds: CELL_SECONDS }, call.gone);
    await sendEvents(call, cell);
  }

  async #create({ language, cwd }: z.infer<typeof ContextBody>): Promise<CodeContext> {
    const directory = this.#accounts.directoryOf(cwd ?? undefined, undefined);
    const session = await this.#code.createSession({ language: nameOf(language), cwd: directory });
    return { id: session.sessionId, language: session.language, cwd: session.cwd };
  }

  /** A new session under the same id: its state is lost, which is what a restart is for. */
  async #restart({ id, language, cwd }: CodeContext): Promise<void> {
    await this.#code.closeSession(id);
    await this.#code.createSession({ language, cwd, sessionId: id });
  }

  #contexts(): CodeContext[] {
    return this.#code.sessions().map(({ sessionId, language, cwd }) => ({ id: sessionId, language, cwd }));
  }

  /** @throws SandboxError `not_found` */
  #context(id: string | undefined): CodeContext {
    const found = this.#contexts().find((context) => context.id === id);
    if (found) return found;
    throw new SandboxError('not_found', `Context ${id} not found`);
  }

  /** The context of a language that calls without a context share; of each sandbox another one. */
  #default({ sandbox }: E2bCall, language: string): CodeContext {
    const id = `e2b-${sandbox?.id ?? 'default'}-${language}`;
    return { id, language, cwd: this.#accounts.directoryOf(undefined, undefined) };
  }
}

function nameOf(language: string | null | undefined): string {
  const name = (language || 'python').trim().toLowerCase();
  return LANGUAGES[name] ?? name;
}
