import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { changedTests } from './flaky/changed-tests.ts';
import { repeatTests } from './flaky/repeat-tests.ts';
import { ROOT } from './root.ts';

const TIMES = 10;
const BURNERS = 2;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { base: { type: 'string' } } });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const files = positionals.length > 0 ? positionals : await changedTests(ROOT, values.base);
if (files.length === 0) {
  say('no test file has changed');
  process.exit(0);
}
say(`${files.length} test files, ${TIMES} times beside ${BURNERS} busy processes`);
const command = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'];
const ok = await repeatTests({ root: ROOT, files, times: TIMES, burners: BURNERS, command, say });
process.exit(ok ? 0 : 1);
