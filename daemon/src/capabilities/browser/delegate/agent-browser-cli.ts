import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { AccountPrograms } from '../../../core/account/account-programs.ts';
import { StartFailure } from '../../../core/process/process-host.ts';

const HINT = 'SVC_AGENT_BROWSER_BIN names the agent-browser CLI; unset it for the built-in snapshot and references';
/** Milliseconds after which an unused session of agent-browser ends. */
const IDLE_MS = 600_000;

/** Dialogs stay for the callers of the API, and the sessions of the account's own calls are others. */
const ENV = {
  AGENT_BROWSER_NO_AUTO_DIALOG: '1',
  AGENT_BROWSER_NAMESPACE: 'svc',
  AGENT_BROWSER_IDLE_TIMEOUT_MS: String(IDLE_MS),
};

/** What a call of the CLI answers with `--json`. */
export interface CliAnswer {
  readonly success: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: string;
  readonly warning: string;
}

/** The agent-browser CLI, which runs as the account of commands and keeps a process in the background per session. */
export class AgentBrowserCli {
  readonly #programs: AccountPrograms;
  readonly #file: string;

  /** @param file a path, or a name that is looked up on the PATH of the account */
  constructor(programs: AccountPrograms, file: string) {
    this.#programs = programs;
    this.#file = file;
  }

  /**
   * Runs one of its commands; undefined if it does not end within `ms`.
   * @throws SandboxError `unavailable` if it cannot be started or says nothing that can be read
   */
  async call(args: readonly string[], ms: number): Promise<CliAnswer | undefined> {
    const end = await this.#programs.run(this.#file, ['--json', ...args], { ms, env: ENV }).catch((error: unknown) => {
      if (!(error instanceof StartFailure)) throw error;
      throw new SandboxError('unavailable', `agent-browser cannot be started: ${error.message}`, { hint: HINT });
    });
    return end && answerIn(end.stdout);
  }
}

function answerIn(stdout: string): CliAnswer {
  try {
    const { success, data, error, warning } = JSON.parse(stdout) as Partial<Record<keyof CliAnswer, unknown>>;
    return {
      success: success === true,
      data: typeof data === 'object' && data !== null ? (data as CliAnswer['data']) : {},
      error: typeof error === 'string' ? error : '',
      warning: typeof warning === 'string' ? warning : '',
    };
  } catch (error) {
    throw new SandboxError('unavailable', 'agent-browser answered no JSON', { hint: HINT, cause: error });
  }
}
