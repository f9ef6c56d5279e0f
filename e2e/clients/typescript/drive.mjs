import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Sandbox } from '@sandbox/client';
import { tenTasks } from './ten-tasks.mjs';

const faults = await tenTasks(Sandbox, {}, await mkdtemp(join(tmpdir(), 'client-')));
console.log(faults.length === 0 ? 'passed' : faults.join('\n'));
process.exit(faults.length === 0 ? 0 : 1);
