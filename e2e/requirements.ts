import { ANALYST_DAY } from './requirements/analyst-day.ts';
import { ANSWERS } from './requirements/answers.ts';
import { APP } from './requirements/app.ts';
import { ATTACH } from './requirements/attach.ts';
import { AUTHENTICATION } from './requirements/authentication.ts';
import { BASH_V1 } from './requirements/bash-v1.ts';
import { BROWSER } from './requirements/browser.ts';
import { BROWSER_CLIENTS } from './requirements/browser-clients.ts';
import { BROWSER_IMAGE } from './requirements/browser-image.ts';
import { BUDGETS } from './requirements/budgets.ts';
import { CHECKPOINTS } from './requirements/checkpoints.ts';
import { CLIENT } from './requirements/client.ts';
import { CLOCK } from './requirements/clock.ts';
import { CODE } from './requirements/code.ts';
import { CODE_INPUT } from './requirements/code-input.ts';
import { CODE_LANGUAGES } from './requirements/code-languages.ts';
import { CODE_NOTEBOOK } from './requirements/code-notebook.ts';
import { COMMANDS_LIFE } from './requirements/commands-life.ts';
import { COMMANDS_RUN } from './requirements/commands-run.ts';
import { CONFIGURATION } from './requirements/configuration.ts';
import { CONVENTIONS } from './requirements/conventions.ts';
import { DAY } from './requirements/day.ts';
import { DESKTOP } from './requirements/desktop.ts';
import { DESKTOP_PARTS } from './requirements/desktop-parts.ts';
import { ENDS } from './requirements/ends.ts';
import { ENGINES } from './requirements/engines.ts';
import { FILES } from './requirements/files.ts';
import { GATEWAY } from './requirements/gateway.ts';
import { IMAGE_CONDITIONS } from './requirements/image-conditions.ts';
import { IMAGE_FAULTS } from './requirements/image-faults.ts';
import { IMAGES } from './requirements/images.ts';
import { INCOMPLETE } from './requirements/incomplete.ts';
import { KUBERNETES } from './requirements/kubernetes.ts';
import { MANNERS } from './requirements/manners.ts';
import { MCP } from './requirements/mcp.ts';
import { OPERATIONS } from './requirements/operations.ts';
import { PORTS } from './requirements/ports.ts';
import { PROTOCOLS } from './requirements/protocols.ts';
import { RECORDS } from './requirements/records.ts';
import type { Requirement } from './requirements/requirement.ts';
import { SANDBOX } from './requirements/sandbox.ts';
import { SCREENS } from './requirements/screens.ts';
import { SEARCH } from './requirements/search.ts';
import { STALLS } from './requirements/stalls.ts';
import { STDIN } from './requirements/stdin.ts';
import { STRANGERS } from './requirements/strangers.ts';
import { STREAMS } from './requirements/streams.ts';
import { SYSTEM } from './requirements/system.ts';
import { TERMINALS } from './requirements/terminals.ts';
import { TERMINALS_END } from './requirements/terminals-end.ts';
import { TIMELINE } from './requirements/timeline.ts';
import { BASH_FIELDS } from './requirements/v1-fields/bash.ts';
import { BROWSER_FIELDS } from './requirements/v1-fields/browser.ts';
import { CODE_FIELDS } from './requirements/v1-fields/code.ts';
import { FILE_FIELDS } from './requirements/v1-fields/files.ts';
import { SHELL_FIELDS } from './requirements/v1-fields/shell.ts';
import { WATCH } from './requirements/watch.ts';

/** Every statement of the contract that needs a test. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...CONVENTIONS,
  ...ATTACH,
  ...PORTS,
  ...PROTOCOLS,
  ...RECORDS,
  ...DAY,
  ...ANALYST_DAY,
  ...CLIENT,
  ...CLOCK,
  ...AUTHENTICATION,
  ...STREAMS,
  ...COMMANDS_RUN,
  ...COMMANDS_LIFE,
  ...BASH_V1,
  ...IMAGES,
  ...IMAGE_CONDITIONS,
  ...IMAGE_FAULTS,
  ...CONFIGURATION,
  ...GATEWAY,
  ...APP,
  ...BROWSER_IMAGE,
  ...FILES,
  ...CHECKPOINTS,
  ...TIMELINE,
  ...SEARCH,
  ...WATCH,
  ...INCOMPLETE,
  ...TERMINALS,
  ...TERMINALS_END,
  ...ENDS,
  ...BASH_FIELDS,
  ...SHELL_FIELDS,
  ...FILE_FIELDS,
  ...STALLS,
  ...STDIN,
  ...SCREENS,
  ...ENGINES,
  ...SANDBOX,
  ...SYSTEM,
  ...OPERATIONS,
  ...KUBERNETES,
  ...MCP,
  ...MANNERS,
  ...BROWSER,
  ...BROWSER_CLIENTS,
  ...BROWSER_FIELDS,
  ...CODE,
  ...CODE_INPUT,
  ...CODE_LANGUAGES,
  ...CODE_NOTEBOOK,
  ...CODE_FIELDS,
  ...DESKTOP,
  ...DESKTOP_PARTS,
  ...BUDGETS,
  ...ANSWERS,
  ...STRANGERS,
];
