import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { ClaimProof } from '../../core/access/claim/claim-credential.ts';
import type { Claim, ClaimTerms } from '../../core/access/claim/claim-record.ts';
import type { AccountPrograms } from '../../core/account/account-programs.ts';
import type { ActivityReport } from '../../core/activity/activity.ts';
import type { Core } from '../../core/core.ts';
import type { PortReader } from '../../core/ports/port.ts';
import { isProductVariable } from '../../core/process/environment.ts';
import { Cached } from '../../core/survey/cached.ts';
import { SURVEY, type SurveyResult } from '../../core/survey/survey.ts';
import { interpretersOf, type Language } from './context/interpreters.ts';
import { packageLines } from './context/packages.ts';
import { type Context, summaryOf } from './context/summary.ts';
import { systemFacts } from './context/system.ts';
import { utilities } from './context/utilities.ts';

/** Milliseconds for which a context and a list of packages are kept. */
const KEPT_MS = 5000;

const LANGUAGES: Readonly<Record<string, Language>> = { python: 'python', nodejs: 'nodejs', node: 'nodejs' };

/** What clients ask of the sandbox itself, and what its operator gives it. */
export class SandboxService implements AsyncDisposable {
  readonly #core: Core;
  readonly #ports: PortReader;
  readonly #startedAt = performance.now();
  readonly #context: Cached<Context>;
  readonly #packages: Readonly<Record<Language, Cached<string>>>;

  constructor(core: Core, programs: AccountPrograms, ports: PortReader) {
    this.#core = core;
    this.#ports = ports;
    this.#context = new Cached(KEPT_MS, () => contextOf(programs));
    this.#packages = {
      python: new Cached(KEPT_MS, () => packageLines('python', programs)),
      nodejs: new Cached(KEPT_MS, () => packageLines('nodejs', programs)),
    };
  }

  /** Seconds since the daemon started. */
  get uptime(): number {
    return Math.round((performance.now() - this.#startedAt) / 10) / 100;
  }

  /** What the claim called the sandbox. */
  get labels(): Readonly<Record<string, string>> {
    return this.#core.late.claimed?.labels ?? {};
  }

  /** @throws SandboxError if the account of commands does not exist */
  context(): Promise<Context> {
    return this.#context.get();
  }

  /** The context as text for a model. @throws as `context` */
  async summary(): Promise<string> {
    return summaryOf(await this.context());
  }

  /**
   * Installed packages, one `- name==version` a line.
   * @throws SandboxError `invalid` for another language, `unavailable` without an interpreter
   */
  async packages(name: string): Promise<string> {
    const language = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
    if (language !== undefined) return await this.#packages[language].get();
    throw new SandboxError('invalid', `must be python, nodejs or node, not ${name.slice(0, 100)}`, { field: 'lang' });
  }

  /** What the machine and the capabilities have, at most 5 s old. @param fresh look again */
  async survey(fresh: boolean): Promise<SurveyResult> {
    return (await this.#ports.get(SURVEY)?.look(fresh)) ?? { checks: [], report: {} };
  }

  activity(): ActivityReport {
    return this.#core.activity.report();
  }

  /** @throws SandboxError `unauthorized` unless it proves the right to claim the sandbox */
  requireProof(proof: ClaimProof): void {
    this.#core.late.requireProof(proof);
  }

  /**
   * @throws SandboxError `unauthorized` (credential), `conflict` if it was claimed before, `invalid` for a variable that
   *   the service keeps to itself, `unavailable` if the claim would not last
   */
  claim(proof: ClaimProof, claim: ClaimTerms): Claim {
    const reserved = Object.keys(claim.env).find(isProductVariable);
    if (reserved !== undefined) {
      throw new SandboxError('invalid', `must not have ${reserved}, which the service keeps to itself`, {
        field: 'env',
      });
    }
    return this.#core.late.claim(proof, claim);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Its programs end by themselves, or with the process host.
  }
}

async function contextOf(programs: AccountPrograms): Promise<Context> {
  const [system, python, nodejs] = await Promise.all([
    systemFacts(programs),
    interpretersOf('python', programs),
    interpretersOf('nodejs', programs),
  ]);
  const { path } = programs;
  return { system, python, nodejs, utilities: utilities((program) => programs.find(program, path) !== undefined) };
}
