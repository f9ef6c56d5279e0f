import type { Benchmark } from '../harness/benchmark.ts';
import { callers } from './callers.ts';
import { commands } from './commands.ts';
import { download } from './download.ts';
import { gateway } from './gateway.ts';
import { output } from './output.ts';
import { start } from './start.ts';

export const BENCHMARKS: readonly Benchmark[] = [commands, callers, output, gateway, download, start];
