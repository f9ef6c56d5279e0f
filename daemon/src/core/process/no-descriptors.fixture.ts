import { closeSync, openSync } from 'node:fs';
import { InotifyReader } from './keeper/inotify-reader.ts';
import { ToolRun } from './tool-run.ts';

// Starts both programs of the daemon while no descriptor is free, and prints how that ended.

const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // None is free now.
}
const outcomes = { tool: await runTool(), reader: await startReader() };
for (const descriptor of taken) closeSync(descriptor);
console.log(JSON.stringify(outcomes));

async function runTool(): Promise<unknown> {
  await using run = new ToolRun('/bin/true', [], '/');
  const output = await run.stdout.toArray();
  return { output, ...(await run.ended) };
}

async function startReader(): Promise<unknown> {
  try {
    await using reader = new InotifyReader('/bin/cat', console.error);
    return reader.pid;
  } catch (error) {
    return error;
  }
}
