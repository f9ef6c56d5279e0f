import type { SessionTable } from '../runtime/language-runtime.ts';

/** A session as adapters show it. */
export interface SessionInfo {
  readonly sessionId: string;
  readonly table: SessionTable;
  readonly language: string;
  readonly variant: string;
  readonly cwd: string;
  readonly user: string;
  readonly pid: number;
  readonly state: 'idle' | 'busy';
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  /** Milliseconds since its creation, and since its last use. */
  readonly ageMs: number;
  readonly unusedMs: number;
  readonly idleSeconds: number;
  readonly executionCount: number;
}

export interface SessionRequest {
  readonly language: string;
  readonly kernelName?: string | undefined;
  readonly version?: string | undefined;
  readonly isOutside?: boolean | undefined;
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  readonly idleSeconds?: number | undefined;
}
