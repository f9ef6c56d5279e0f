/** The first engine that looks more often while a container starts. */
const START_INTERVAL_ENGINE = 25;
const PORTABLE = '--interval=1s --timeout=5s --start-period=20s --retries=10';
const WITH_START_INTERVAL = '--interval=10s --start-interval=500ms --timeout=5s --start-period=20s --retries=2';

/**
 * The Dockerfile for an engine: a newer one looks for the health twice a second while a container starts and every 10 s
 * from then on. An older one refuses that option, and has one interval, which must be short.
 * @param engine its version, such as 28.2.2
 * @throws Error if the Dockerfile has another health check
 */
export function dockerfileFor(engine: string, dockerfile: string): string {
  if (!dockerfile.includes(`HEALTHCHECK ${PORTABLE} `)) throw new Error('the Dockerfile has another health check');
  const major = Number(engine.split('.', 1)[0]);
  return major >= START_INTERVAL_ENGINE ? dockerfile.replace(PORTABLE, WITH_START_INTERVAL) : dockerfile;
}
