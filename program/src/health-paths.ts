/** Paths that probes request all the time; successes are logged at debug only. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health', '/ready', '/v1/ping']);
