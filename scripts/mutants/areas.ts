import { APP } from './areas/app.ts';
import { BROWSER_IMAGE } from './areas/browser-image.ts';
import { CODE_CELLS } from './areas/code.ts';
import { COMMANDS } from './areas/commands.ts';
import { COMPUTER_USE } from './areas/computer-use.ts';
import { DESKTOP } from './areas/desktop.ts';
import { FILES } from './areas/files.ts';
import { GATEWAY } from './areas/gateway.ts';
import { HTTP } from './areas/http.ts';
import { KEEPER } from './areas/keeper.ts';
import { MCP_HUB } from './areas/mcp.ts';
import { PTY } from './areas/pty.ts';
import { SANDBOX } from './areas/sandbox.ts';
import { SEARCH } from './areas/search.ts';
import { SYSTEM_AND_BROWSER } from './areas/system-and-browser.ts';
import { TELEMETRY } from './areas/telemetry.ts';
import { WATCH } from './areas/watch.ts';
import type { MutantArea } from './mutant.ts';

export const AREAS: readonly MutantArea[] = [
  COMMANDS,
  FILES,
  PTY,
  SANDBOX,
  SEARCH,
  WATCH,
  SYSTEM_AND_BROWSER,
  KEEPER,
  GATEWAY,
  BROWSER_IMAGE,
  HTTP,
  CODE_CELLS,
  MCP_HUB,
  DESKTOP,
  COMPUTER_USE,
  APP,
  TELEMETRY,
];
