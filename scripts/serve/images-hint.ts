import { execFile } from 'node:child_process';

/** Milliseconds for the answer of Docker, so that an engine that hangs does not delay the line with the address. */
const PATIENCE_MS = 5_000;
const HAVE = 'the images have a browser, a desktop and editors too';

/**
 * One line on how to get what only the images have.
 * @param docker exits 0 if a Docker engine answers; it has 5 s
 * @param installs whether `npm run images` installs and starts an engine where none answers
 */
export function imagesHint(docker: readonly string[], installs: boolean, signal: AbortSignal): Promise<string> {
  const [program = 'docker', ...args] = docker;
  return new Promise((resolve) => {
    execFile(program, args, { signal, timeout: PATIENCE_MS }, (error) => resolve(`${HAVE}: ${wayOf(error, installs)}`));
  });
}

function wayOf(error: Error | null, installs: boolean): string {
  if (error === null || installs) return 'npm run images, then docker run as in README.md';
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return `${isMissing ? 'install Docker' : 'start Docker, which does not answer'}, then npm run images`;
}
