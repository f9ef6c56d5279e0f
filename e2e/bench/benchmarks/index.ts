import type { Benchmark } from '../harness/benchmark.ts';
import { app } from './app.ts';
import { browser } from './browser.ts';
import { builds } from './builds.ts';
import { callers } from './callers.ts';
import { code } from './code.ts';
import { codeLanguages } from './code-languages.ts';
import { commandLine } from './command-line.ts';
import { commandStages } from './command-stages.ts';
import { commands } from './commands.ts';
import { desktop } from './desktop.ts';
import { desktopWork } from './desktop-work.ts';
import { download } from './download.ts';
import { files } from './files.ts';
import { gateway } from './gateway.ts';
import { image } from './image.ts';
import { keeper } from './keeper.ts';
import { mcp } from './mcp.ts';
import { metrics } from './metrics.ts';
import { output } from './output.ts';
import { processHost } from './process-host.ts';
import { search } from './search.ts';
import { snapshots } from './snapshots.ts';
import { start } from './start.ts';
import { terminals } from './terminals.ts';
import { transfer } from './transfer.ts';
import { transferMemory } from './transfer-memory.ts';
import { vnc } from './vnc.ts';
import { vncUpdates } from './vnc-updates.ts';
import { watch } from './watch.ts';
import { webSockets } from './web-sockets.ts';

export const BENCHMARKS: readonly Benchmark[] = [
  commands,
  commandStages,
  commandLine,
  callers,
  keeper,
  processHost,
  output,
  gateway,
  download,
  webSockets,
  vnc,
  vncUpdates,
  files,
  transfer,
  transferMemory,
  search,
  watch,
  start,
  terminals,
  browser,
  snapshots,
  code,
  codeLanguages,
  desktop,
  desktopWork,
  mcp,
  metrics,
  app,
  image,
  builds,
];
