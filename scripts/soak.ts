import process from 'node:process';
import { parseArgs } from 'node:util';
import { soak } from './soak/soak.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes is not a number above 0');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
let count = 0;
for (const key of [undefined, 'soak-key-0123456789']) {
  const faults = await soak({ key, minutes, say });
  for (const fault of new Set(faults)) say(`  ${fault} (${faults.filter((other) => other === fault).length} times)`);
  count += faults.length;
}
process.exit(count === 0 ? 0 : 1);
