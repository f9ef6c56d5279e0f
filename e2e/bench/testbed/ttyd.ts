import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from '../../../scripts/root.ts';
import { debianProgram, mayInstall, unmet } from '../../../scripts/test-all/need.ts';
import { succeeds } from '../../../scripts/test-all/run-command.ts';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { type Service, serve } from './services.ts';
import type { Codec, OpenTerminal } from './terminal.ts';
import { Terminal } from './terminal.ts';

/** A small Debian unstable, the only release with ttyd. */
const SYSTEM = join(ROOT, 'dist/ttyd');
const MMDEBSTRAP = debianProgram('mmdebstrap', 'terminals are held against ttyd of Debian unstable');
/** In private namespaces, so that its mounts end with it. */
const RUN = 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" ttyd "$@"';

/** The first byte of a message is its type; output and input are `0`. */
const CODEC: Codec = {
  protocols: ['tty'],
  hello: JSON.stringify({ AuthToken: '', columns: 80, rows: 24 }),
  wrap: (text) => Buffer.from(`0${text}`),
  unwrap: (bytes) => (bytes[0] === 0x30 ? bytes.subarray(1) : bytes.subarray(0, 0)),
};

/** ttyd, which runs the program in the address; undefined if it cannot be installed: only root on Debian can. */
export async function startTtyd(): Promise<Service | undefined> {
  if (!mayInstall() || !(await hasSystem())) return undefined;
  const port = await freePort();
  const options = ['--writable', '--url-arg', '--interface', '127.0.0.1', '--port', String(port)];
  const command = ['unshare', '--mount', '--kill-child', 'sh', '-c', RUN, SYSTEM, ...options, 'env', 'PS1=$ '];
  return serve(command, { port, env: {}, answers: /^HTTP\/1\.[01] \d/, quiet: true });
}

export function ttydTerminals({ port }: Service): OpenTerminal {
  return (argv) => {
    const query = argv.map((argument) => `arg=${encodeURIComponent(argument)}`).join('&');
    return Terminal.open(`ws://127.0.0.1:${port}/ws?${query}`, CODEC);
  };
}

async function hasSystem(): Promise<boolean> {
  if (existsSync(join(SYSTEM, 'usr/bin/ttyd'))) return true;
  if ((await unmet([MMDEBSTRAP], true)).length > 0) return false;
  const unfinished = `${SYSTEM}.${process.pid}`;
  // A wrong clock must not fail the check of dates; only a benchmark runs there.
  const dated = '--aptopt=Acquire::Check-Valid-Until "false"';
  const made = await succeeds(
    ['mmdebstrap', dated, '--variant=apt', '--include=ttyd,bash', 'unstable', unfinished],
    'ignore',
  );
  if (made) await rename(unfinished, SYSTEM);
  else await rm(unfinished, { recursive: true, force: true });
  return made;
}
