import type { Benchmark } from '../harness/benchmark.ts';
import { callers } from './callers.ts';
import { commands } from './commands.ts';
import { download } from './download.ts';
import { gateway } from './gateway.ts';
import { image } from './image.ts';
import { keeper } from './keeper.ts';
import { output } from './output.ts';
import { search } from './search.ts';
import { start } from './start.ts';
import { watch } from './watch.ts';

export const BENCHMARKS: readonly Benchmark[] = [
  commands,
  callers,
  keeper,
  output,
  gateway,
  download,
  search,
  watch,
  start,
  image,
];
