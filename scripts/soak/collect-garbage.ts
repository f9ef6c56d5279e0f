import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

// Loaded into a service: what it holds is measured without garbage, whose amount depends on when it was last collected.
// Only the last resort gives pages of former garbage back to the system; V8 itself does so after some idle seconds.
if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect: (how: object) => void = runInNewContext('gc');
  process.on('SIGUSR2', () => collect({ type: 'major', flavor: 'last-resort', execution: 'sync' }));
}
