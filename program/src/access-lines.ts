import { HEALTH_PATHS } from './health-paths.ts';

export const ACCESS_LOGS = ['off', 'errors', 'all'] as const;
export type AccessLog = (typeof ACCESS_LOGS)[number];

export interface AccessOutcome {
  readonly path: string;
  /** null: the client left before an answer began. */
  readonly status: number | null;
}

/**
 * Whether a request has a line of its own. Health checks that fail are not errors of requests: the daemon logs each
 * change of its readiness.
 */
export function hasAccessLine(accessLog: AccessLog, { path, status }: AccessOutcome): boolean {
  if (accessLog !== 'errors') return accessLog === 'all';
  return (status === null || status >= 400) && !HEALTH_PATHS.has(path);
}
