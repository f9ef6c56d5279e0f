import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type {
  LanguageInfo,
  LanguageRequest,
  LanguageRuntime,
  ResolvedLanguage,
  SessionTable,
} from './language-runtime.ts';

export interface Served extends ResolvedLanguage {
  readonly runtime: LanguageRuntime;
}

/** Every language of every runtime; the first runtime that serves a request gets it. */
export class LanguageCatalogue implements AsyncDisposable {
  readonly runtimes: readonly LanguageRuntime[];

  constructor(runtimes: readonly LanguageRuntime[]) {
    this.runtimes = runtimes;
  }

  /** What there is now, each language once. */
  async languages(): Promise<(LanguageInfo & { readonly table: SessionTable })[]> {
    const found = await Promise.all(
      this.runtimes.map(async (runtime) =>
        (await runtime.languages()).map((info) => ({ ...info, table: runtime.table })),
      ),
    );
    const seen = new Set<string>();
    return found.flat().filter(({ language }) => !seen.has(language) && seen.add(language));
  }

  /** @throws SandboxError `unprocessable` with what there is, `unavailable` if what runs it is missing */
  async resolve(request: LanguageRequest): Promise<Served> {
    const isKernel = request.kernelName !== undefined;
    for (const runtime of this.runtimes) {
      if (isKernel && runtime.table !== 'kernel') continue;
      const resolved = await runtime.resolve(request);
      if (resolved) return { ...resolved, runtime };
    }
    throw await this.#unknown(request);
  }

  named(name: string): LanguageRuntime | undefined {
    return this.runtimes.find((runtime) => runtime.name === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.runtimes.map((runtime) => runtime[Symbol.asyncDispose]()));
  }

  async #unknown({ language, kernelName }: LanguageRequest): Promise<SandboxError> {
    const languages = (await this.languages()).map((info) => info.language);
    const list = languages.length > 0 ? languages.join(', ') : 'none: no interpreter is installed';
    const field = kernelName === undefined ? 'language' : 'kernelName';
    return new SandboxError('unprocessable', `is not installed: ${kernelName ?? language}; there is ${list}`, {
      field,
    });
  }
}
