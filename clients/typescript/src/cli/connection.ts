import { milliseconds } from '../core/clock.ts';
import { Sandbox } from '../sandbox.ts';
import { type Context, type Terminal, UsageError } from './command-spec.ts';
import { httpFetch } from './http-fetch.ts';
import { printable } from './one-line.ts';

interface Surroundings extends Pick<Context, 'options' | 'terminal'> {
  /** Name of the command. */
  readonly name: string;
}

/** Seconds without a connection after which a command fails. */
const RETRY_FOR = 60;
/** Milliseconds without the first answer after which the wait for it is printed. */
const NOTICE_MS = 5000;

/** The sandbox of the options, the environment or `login`. The key of login belongs to the address of login. */
export async function connect({ name, options, terminal }: Surroundings): Promise<Sandbox> {
  const { url, apiKey } = await addressOf(options, terminal.env);
  const notices = new Notices(terminal, url ?? 'http://localhost:8080');
  const asked = secondsOf('retry-for', options);
  // A command that may run for a short time is not waited for longer.
  const limit = name === 'run' ? Math.max(1, secondsOf('timeout', options) ?? RETRY_FOR) : RETRY_FOR;
  return Sandbox.at({
    url,
    apiKey,
    retryFor: asked ?? Math.min(RETRY_FOR, limit),
    answerWithin: asked ?? (limit < RETRY_FOR ? limit : undefined),
    onRetry: ({ reason, retryFor }) => notices.retry(reason, retryFor),
    fetch: (address, init) => notices.during(httpFetch(address, init)),
  });
}

interface Address {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
}

async function addressOf({ url }: Context['options'], env: Terminal['env']): Promise<Address> {
  // An empty variable is one that is not set.
  const given = typeof url === 'string' ? url : env['SANDBOX_URL'] || undefined;
  const apiKey = env['SANDBOX_API_KEY'] || undefined;
  if (given !== undefined && apiKey !== undefined) return { url: given, apiKey };
  const { readStored } = await import('./stored.ts');
  const stored = readStored();
  if (given !== undefined) return { url: given, apiKey: given === stored.url ? stored.apiKey : undefined };
  return { url: stored.url, apiKey: apiKey ?? (stored.url === undefined ? undefined : stored.apiKey) };
}

/** @throws UsageError */
function secondsOf(name: string, options: Context['options']): number | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new UsageError(`--${name} is not a number above 0: ${value}`);
}

/** Says on stderr what a command waits for, since it prints nothing meanwhile. */
class Notices {
  readonly #terminal: Terminal;
  readonly #url: string;
  /** Until when what was printed holds. */
  #until = 0;
  #isAnswered = false;

  constructor(terminal: Terminal, url: string) {
    this.#terminal = terminal;
    this.#url = url;
  }

  retry(reason: string, retryFor: number): void {
    if (milliseconds() < this.#until) return;
    this.#until = milliseconds() + retryFor * 1000;
    this.#print(`no connection to ${this.#url}: ${reason}`);
    this.#print(`trying again for ${retryFor} s (--retry-for)`);
  }

  async during(answer: Promise<Response>): Promise<Response> {
    if (this.#isAnswered) return await answer;
    const timer = setTimeout(() => this.#print(`waiting for an answer of ${this.#url} (--retry-for)`), NOTICE_MS);
    try {
      const response = await answer;
      this.#isAnswered = true;
      return response;
    } finally {
      clearTimeout(timer);
    }
  }

  #print(text: string): void {
    this.#terminal.stderr.write(`sandbox: ${printable(text)}\n`);
  }
}
