import process from 'node:process';
import { parseArgs } from 'node:util';
import { stopNode } from '../e2e/kubernetes/node/node.ts';
import { runKubernetesTests } from '../e2e/kubernetes/node/run-tests.ts';

const { values, positionals } = parseArgs({
  options: { keep: { type: 'boolean', default: false }, stop: { type: 'boolean', default: false } },
  allowPositionals: true,
  strict: false,
});
const say = (line: string): void => void process.stdout.write(`kubernetes: ${line}\n`);
if (values['stop'] === true) await stopNode();
else process.exitCode = await runKubernetesTests({ args: positionals, keeps: values['keep'] === true, say });
