import { browser } from './browser/index.ts';
import { checkpoints } from './checkpoints/index.ts';
import { code } from './code/index.ts';
import { commands } from './commands/index.ts';
import { desktop } from './desktop/index.ts';
import { files } from './files/index.ts';
import { ports } from './ports/index.ts';
import { pty } from './pty/index.ts';
import { sandbox } from './sandbox/index.ts';
import { search } from './search/index.ts';
import { skills } from './skills/index.ts';
import { system } from './system/index.ts';
import { timeline } from './timeline/index.ts';
import { watch } from './watch/index.ts';

/** Every capability, in the order in which they are made; they are disposed the other way round. */
export const CAPABILITIES = [
  timeline,
  system,
  sandbox,
  files,
  checkpoints,
  commands,
  pty,
  ports,
  code,
  desktop,
  browser,
  watch,
  search,
  skills,
] as const;
