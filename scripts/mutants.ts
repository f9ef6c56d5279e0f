import process from 'node:process';
import { parseArgs } from 'node:util';
import { AREAS } from './mutants/areas.ts';
import { runMutants } from './mutants/run-mutants.ts';
import { SURVIVORS } from './mutants/survivors.ts';
import { ROOT } from './root.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: '1' } },
});
const jobs = Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs is not a whole number from 1 on');

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort(new Error(signal)));

const ok = await runMutants({
  root: ROOT,
  areas: AREAS,
  survivors: SURVIVORS,
  names: positionals,
  jobs,
  say: (line) => process.stdout.write(`${line}\n`),
  signal: stopping.signal,
});
process.exit(ok ? 0 : 1);
