/** One check of `sandboxd doctor`. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly required: boolean;
  readonly detail: string;
  readonly hint?: string | null;
}

/** What the page uses of `GET /v1/capabilities`. */
export interface Capabilities {
  readonly files: boolean;
  readonly exec: { readonly pty: boolean; readonly tmux: boolean; readonly rg: boolean };
  readonly code_interpreter: {
    readonly python_kernels: readonly string[];
    readonly node: boolean;
    readonly missing: readonly string[];
  };
  readonly browser: boolean;
  readonly computer: { readonly status: string };
  readonly checks?: readonly Check[];
}

/** What the page uses of `GET /v2/sandbox`. */
export interface SandboxFacts {
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
  readonly user: string;
  readonly home_dir: string;
  readonly timezone: string;
  readonly capabilities: Capabilities;
}

export function checksOf({ capabilities }: Pick<SandboxFacts, 'capabilities'>): readonly Check[] {
  return capabilities.checks ?? [];
}
