import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { trackedFiles } from './tracked-files.ts';

const CAPABILITIES = 'daemon/src/capabilities';
const READS = new Set(
  'copyFile copyFileSync cp cpSync createReadStream open openAsBlob openSync readFile readFileSync'.split(' '),
);

/** Code of capabilities that opens files without a look at whether they hold a credential, and why it may. */
const OWN_FILES: Readonly<Record<string, string>> = {
  'browser/start/browser-starter.ts': 'the FIFO of the image, opened for writing',
  'checkpoints/diff/changes-file.ts': 'a new file, which it creates',
  'checkpoints/import/spool-file.ts': 'a new file, which it creates',
  'checkpoints/engine/contents.ts': 'contents that the tree helper has read, without withheld files',
  'checkpoints/engine/tree-session.ts': 'records of the capability',
  'checkpoints/store/index-file.ts': 'records of the capability',
  'checkpoints/store/pack-files.ts': 'records of the capability',
  'code/kernel/kernel-connection.ts': 'a new file, which it creates',
  'code/node/node-probe.ts': 'the version of a program on PATH',
  'code/node/npm-roots.ts': 'a program that runs as the account',
  'code/session/session-file.ts': 'records of the capability',
  'commands/shell/directory-file.ts': 'a new file, which it creates',
  'files/parts/part-file.ts': 'parts of its own, opened for writing and named by an id',
  'files/change/copy-content.ts': 'new files, which it creates; the source is open',
  'files/tar/extract.ts': 'new files, which it creates',
  'files/write/write.ts': 'files opened for writing; their content goes nowhere',
  'pty/exec/dropped-end.ts': 'the exit code of a command, of which no other text is used',
  'pty/session/session-record.ts': 'records of the capability',
  'pty/tmux/tmux-end.ts': 'the state of a process in /proc',
  'sandbox/context/occupied-ports.ts': 'tables of the kernel',
  'sandbox/context/packages.ts': 'a program that runs as the account',
  'sandbox/context/system.ts': 'the description of the system in /etc',
  'system/processes/own-programs.ts': 'the states that the supervisor writes, of which pids are used',
  'system/processes/read-processes.ts': 'processes of /proc, never their environment',
  'timeline/query/read-segment.ts': 'records of the capability',
  'timeline/state/state-reader.ts': 'records of the capability',
  'watch/watch-limits.ts': 'limits of the kernel',
};

/** Files of capabilities that import a function of node:fs that opens a file for reading. */
async function readers(): Promise<Map<string, string>> {
  const files = (await trackedFiles()).filter(
    (file) => file.startsWith(`${CAPABILITIES}/`) && /\.ts$/.test(file) && !/\.(?:test|fixture|d)\.ts$/.test(file),
  );
  const found = new Map<string, string>();
  for (const file of files) {
    const text = await readFile(join(ROOT, file), 'utf8');
    const imported = [...text.matchAll(/\{([^{}]*)\}\s*(?:from|= require\()\s*'node:fs(?:\/promises)?'/g)];
    const names = imported.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
    if (names.some((name) => READS.has(name))) found.set(file.slice(CAPABILITIES.length + 1), text);
  }
  return found;
}

test('[secret.files] whatever opens files for callers looks whether they hold a credential', async () => {
  const found = await readers();
  expect(found.size).toBeGreaterThan(10);
  const unguarded = [...found].filter(([, text]) => !text.includes('core/access/credential-files.ts'));
  expect(unguarded.map(([file]) => file).sort()).toEqual(Object.keys(OWN_FILES).sort());
});
