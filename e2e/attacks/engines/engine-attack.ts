/** An answer of the service, however it failed. */
export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
}

/** What an attack on an engine works with. */
export interface EngineTarget {
  /** A directory of the attack. */
  readonly directory: string;
  /** The folder of skills. */
  readonly skills: string;
  call(path: string, init?: RequestInit): Promise<EngineAnswer>;
}

/** One hostile input of a third-party engine that meets bytes from outside. */
export interface EngineAttack {
  /** As in the table of docs/limits.md. */
  readonly engine: string;
  readonly name: string;
  readonly run: (target: EngineTarget) => Promise<EngineAnswer>;
  /** What the client gets. */
  readonly statuses: readonly number[];
  /** It takes seconds: only in the whole run. */
  readonly isLong?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** A request with a JSON body; text is sent as it stands. */
export function json(body: object | string): RequestInit {
  return { method: 'POST', headers: JSON_TYPE, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
