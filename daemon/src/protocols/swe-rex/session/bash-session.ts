import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FilesPort } from '../../../core/ports/files-port.ts';
import type { TerminalsPort } from '../../../core/ports/terminals-port.ts';
import { Raised } from '../answers.ts';
import type { BashAction, InterruptAction } from '../bodies.ts';
import { escaped, shown } from '../text.ts';
import type { Awaited, Expect } from './expect.ts';
import { type Match, Reader } from './reader.ts';
import type { SessionRecord } from './session-store.ts';

/** What a client gets as the match when the shell waits for the next line. */
const PROMPT_SHOWN = 'SHELLPS1PREFIX';
/** Seconds for the shell itself to answer, beside the time of the command. */
const SHELL_SECONDS = 30;
/** Seconds after a match of the client for the exit code of the command. */
const CODE_SECONDS = 1;
const QUIET_SECONDS = 0.2;
const [INTERRUPT, SUSPEND] = ['\x03', '\x1a'];
const PROMPT_INDEX = 1;

export interface Observation {
  readonly output: string;
  readonly exit_code: number | null;
  readonly failure_reason: string;
  readonly expect_string: string;
  readonly session_type: 'bash';
}

interface Parts {
  readonly terminals: TerminalsPort;
  readonly expect: Expect;
  readonly files: FilesPort;
}

/** A bash in a terminal of ours, as SWE-ReX drives it, for one call. */
export class BashSession {
  readonly #parts: Parts;
  readonly #record: SessionRecord;
  readonly #reader: Reader;
  readonly #gone: AbortSignal;

  constructor(parts: Parts, record: SessionRecord, gone: AbortSignal) {
    this.#parts = parts;
    this.#record = record;
    this.#gone = gone;
    this.#reader = new Reader(parts, record.terminalId, record.at, gone);
  }

  /** Offset at which the next call begins. */
  get at(): number {
    return this.#reader.at;
  }

  /** Sets the prompt and sources files. @returns the output of these */
  async begin(sources: readonly string[], seconds: number): Promise<string> {
    const ready = await this.#quiet();
    if (!ready) throw new Raised('TIMEOUT', 'the shell did not start');
    if (sources.length === 0) return '';
    // They may set a prompt of their own: a marker shows their end.
    const token = newToken();
    await this.#line(`${sources.map((path) => `source ${path}`).join(' ; ')} ; printf '%s%s;' ${halves(token)}`);
    const match = await this.#reader.until([{ text: `${token};` }], seconds);
    if (!match) throw new Raised('TIMEOUT', `the startup files took over ${seconds} s`);
    await this.#quiet();
    return await textOf(match.before);
  }

  async run(action: BashAction): Promise<Observation> {
    const isInteractive = action.is_interactive_command || action.is_interactive_quit;
    return isInteractive ? await this.#runInteractive(action) : await this.#runCommand(action);
  }

  /** Ctrl-C until the shell or one of the patterns shows; else the job is stopped and killed. */
  async interrupt({ timeout, n_retry: tries, expect }: InterruptAction): Promise<Observation> {
    const awaited = [...expect.map((pattern) => ({ pattern })), { text: this.#record.prompt }];
    const interrupted = async (key: string): Promise<Match | undefined> => {
      await this.#type(key);
      return await this.#reader.until(awaited, timeout);
    };
    let match: Match | undefined;
    for (let n = 0; match === undefined && n < tries; n += 1) match = await interrupted(INTERRUPT);
    if (match === undefined) {
      const stopped = await interrupted(SUSPEND);
      match = stopped && (await interrupted('kill -9 %1\n'));
      if (!stopped || !match) throw new Raised('TIMEOUT', 'Failed to interrupt session');
    }
    await this.#reader.until([], QUIET_SECONDS);
    const output = (await textOf(this.#withoutPrompts(match.before + this.#reader.skip()))).trim();
    return observed(output, 0, this.#shownMatch(match, expect.length));
  }

  /** Its text goes by a file, so that no terminal and no prompt changes it, and $? is that of its last command. */
  async #runCommand(action: BashAction): Promise<Observation> {
    const { command, timeout, expect } = action;
    const { prompt, directory } = this.#record;
    const token = newToken();
    await this.#parts.files.uploadWhole(
      `${directory}/command`,
      Readable.from([Buffer.from(`${command}\n`)]),
      {},
      { mode: 0o600 },
    );
    const file = `${directory}/command`;
    const checked = `bash -n <${file} >${directory}/checked 2>&1`;
    const print = (kind: string, value = ''): string => `printf '%s%s%s;' ${halves(token)} ${kind}${value}`;
    await this.#line(
      `if ${checked}; then ${print('b')}; . ${file}; ${print('e', '$?')}; ` +
        `else ${print('s')}; cat ${directory}/checked; ${print('e', '2')}; fi`,
    );
    const begin = await this.#reader.until([{ text: `${token}b;` }, { text: `${token}s;` }], timeout ?? undefined);
    if (!begin) throw this.#late(action);
    const awaited = [{ numbered: `${token}e` }, { text: prompt }, ...expect.map((pattern) => ({ pattern }))];
    const match = await this.#reader.until(awaited, timeout ?? undefined);
    if (!match) throw this.#late(action);
    if (begin.index === 1) throw await this.#syntaxError(command, match);
    return await this.#ended(action, match, awaited);
  }

  /** @throws Raised for an exit code that is checked */
  async #ended(action: BashAction, match: Match, awaited: readonly Awaited[]): Promise<Observation> {
    const expected = match.index > PROMPT_INDEX ? (action.expect[match.index - 2] ?? '') : PROMPT_SHOWN;
    if (match.index > PROMPT_INDEX && action.check === 'ignore')
      return observed(await textOf(match.before), null, expected);
    const { end, output } = await this.#toEnd(action, match, awaited);
    // A prompt without an end is that of a shell in the shell.
    const code = end === undefined ? null : Number(/e(\d+);$/.exec(end.matched)?.[1] ?? 0);
    const text = await textOf(this.#withoutPrompts(output));
    if (action.check === 'raise' && code !== 0) throw failed(action, code, text);
    return observed(text, action.check === 'ignore' ? null : code, expected);
  }

  /** After a match of the client, the rest of the command; and the notices of the shell before its prompt. */
  async #toEnd(
    { check }: BashAction,
    match: Match,
    awaited: readonly Awaited[],
  ): Promise<{ readonly end: Match | undefined; readonly output: string }> {
    const isExpected = match.index > PROMPT_INDEX;
    const end = isExpected ? await this.#reader.until(awaited.slice(0, 1), CODE_SECONDS) : match;
    if (!end && check === 'raise') throw new Raised('NoExitCodeError', 'timeout while getting exit code');
    let output = match.before + (isExpected ? (end?.before ?? '') : '');
    if (end?.index === 0) {
      output += (await this.#reader.until([{ text: this.#record.prompt }], SHELL_SECONDS))?.before ?? '';
    }
    return { end, output };
  }

  async #syntaxError(command: string, { before }: Match): Promise<Raised> {
    await this.#reader.until([{ text: this.#record.prompt }], SHELL_SECONDS);
    const stderr = await textOf(before);
    const message = `Error (exit code 2) while checking bash command \n${shown(command)}\n---- Stderr ----\n${stderr}`;
    return new Raised('BashIncorrectSyntaxError', message, { bash_stdout: '', bash_stderr: stderr });
  }

  /** A line for the program that reads the terminal. */
  async #runInteractive(action: BashAction): Promise<Observation> {
    const { command, expect, timeout, is_interactive_quit: isQuit } = action;
    this.#reader.skip();
    await this.#line(command);
    const awaited = [...expect.map((pattern) => ({ pattern })), { text: this.#record.prompt }];
    const match = await this.#reader.until(awaited, timeout ?? undefined);
    if (!match) throw this.#late(action);
    const output = await textOf(match.before);
    const shownMatch = this.#shownMatch(match, expect.length);
    if (isQuit) {
      await this.#quiet();
      return observed(output, 0, shownMatch);
    }
    const begun = output.trimStart();
    const own = begun.startsWith(command) ? begun.slice(command.length) : begun;
    return observed(own.trim(), 0, shownMatch);
  }

  /** Echo off and our prompt, which a program may have changed. @returns whether the shell answers */
  async #quiet(): Promise<boolean> {
    const { prompt } = this.#record;
    const token = newToken();
    const prompts = `PS1=$(printf '%s%s' ${halves(prompt)}) PS2= PS0=`;
    await this.#line(`stty -echo; unset PROMPT_COMMAND HISTFILE; export ${prompts}; printf '%s%s;' ${halves(token)}`);
    if (!(await this.#reader.until([{ text: `${token};` }], SHELL_SECONDS))) return false;
    return (await this.#reader.until([{ text: prompt }], SHELL_SECONDS)) !== undefined;
  }

  #late({ command, timeout }: BashAction): Raised {
    this.#reader.skip();
    return new Raised(
      'CommandTimeoutError',
      `timeout after ${timeout} seconds while running command ${shown(command)}`,
    );
  }

  #shownMatch({ index, matched }: Match, patterns: number): string {
    return index < patterns ? matched : PROMPT_SHOWN;
  }

  #withoutPrompts(text: string): string {
    return text.replaceAll(this.#record.prompt, '').replaceAll(/rex-[0-9a-f]{24}[bes]\d*;/g, '');
  }

  #line(text: string): Promise<void> {
    return this.#type(`${text}\n`);
  }

  #type(text: string): Promise<void> {
    return this.#parts.terminals.write(this.#record.terminalId, Buffer.from(text), this.#gone);
  }
}

function failed({ command, error_msg: errorText }: BashAction, code: number | null, text: string): Raised {
  const why = `Command ${shown(command)} failed with exit code ${code}. Here is the output:\n${shown(text)}`;
  return new Raised('NonZeroExitCodeError', errorText === '' ? why : `${errorText}: ${why}`);
}

/** A text that no program prints. */
export function newToken(): string {
  return `rex-${randomBytes(12).toString('hex')}`;
}

/** As two words, so that an echo of the line does not match. */
function halves(token: string): string {
  return `${token.slice(0, 10)} ${token.slice(10)}`;
}

function observed(output: string, code: number | null, match: string): Observation {
  return { output, exit_code: code, failure_reason: '', expect_string: match, session_type: 'bash' };
}

/** Without the sequences that move a cursor. */
async function textOf(latin1: string): Promise<string> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  const text = latin1.replaceAll(/\x1b[@-_][0-?]*[ -/]*[@-~]/g, '').replaceAll('\r\n', '\n');
  return await escaped(Buffer.from(text, 'latin1'));
}
