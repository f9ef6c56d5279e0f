/** What the document of the page has about the sandbox; the gateway writes it (`gateway/src/landing`). */
export interface SandboxState {
  readonly version: string;
  readonly daemon: { readonly status: string; readonly version: string; readonly uptime_seconds: number | null };
  readonly applications: Readonly<Record<'desktop' | 'code-server' | 'jupyter' | 'browser', ApplicationState>>;
  readonly ports: readonly number[];
  readonly resources: Resources;
}

type ApplicationState = 'running' | 'stopped' | 'off';

export interface Resources {
  readonly cpu: { readonly used_ms: number; readonly at_ms: number; readonly count: number };
  readonly memory: Usage;
  readonly disk: Usage | null;
}

interface Usage {
  readonly used: number;
  readonly total: number;
}

const MARK = '<script type="application/json" id="state">';

/** The state in the text of a document; undefined for another page, such as the form for the key. */
export function stateIn(text: string): SandboxState | undefined {
  const start = text.indexOf(MARK);
  const end = text.indexOf('</script>', start);
  if (start < 0 || end < 0) return undefined;
  return JSON.parse(text.slice(start + MARK.length, end)) as SandboxState;
}
