import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../scripts/root.ts';

const DIRECTORY = join(ROOT, 'supervisord/conf.d');
const PROGRAMS = readdirSync(DIRECTORY);
/** The largest number that supervisord takes: svc_failures.py pauses these programs and never gives them up. */
const WITHOUT_END = '2147483647';

test.each(PROGRAMS)('[images.never-given-up] %s is started again however often the account ends it', (file) => {
  const conf = readFileSync(join(DIRECTORY, file), 'utf8');
  const setting = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(conf)?.[1];
  expect(conf).toMatch(new RegExp(`^\\[(?:program|eventlistener):${basename(file, '.conf')}\\]\n`));
  expect({ startretries: setting('startretries'), autorestart: setting('autorestart') }).toEqual({
    startretries: WITHOUT_END,
    autorestart: 'true',
  });
});

test('the document of operators has the start mode of the browser of each image', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const [, daemon, desktop] =
    /^- `BROWSER_START_MODE` \(`(\w+)`; in the desktop image `(\w+)`\)/m.exec(read('docs/operations.md')) ?? [];
  const ofImages = [...read('images/Dockerfile').matchAll(/BROWSER_START_MODE=(\w+)/g)].map(([, mode]) => mode);
  expect(ofImages).toEqual([desktop]);
  const ofHooks = [...read('hooks/lib/programs.sh').matchAll(/BROWSER_START_MODE:-(\w+)/g)].map(([, mode]) => mode);
  expect(new Set(ofHooks)).toEqual(new Set([daemon]));
});
