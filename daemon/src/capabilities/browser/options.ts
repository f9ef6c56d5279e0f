import { boolean, named, type OptionValues, seconds, wholeNumber } from '@sandbox/program/options.ts';
import { z } from 'zod';

const START_MODES = ['async', 'auto', 'manual'] as const;

export const BrowserOptions = {
  browserStartMode: named(
    z.enum(START_MODES, { error: `expected one of ${START_MODES.join(', ')}` }).default('async'),
    {
      env: 'BROWSER_START_MODE',
      flag: 'browser-start-mode',
      description:
        'auto: /ready waits for the browser. async, manual: it does not. The images also start the browser by this.',
    },
  ),
  browserHost: named(z.string().default('127.0.0.1'), {
    env: 'BROWSER_REMOTE_DEBUGGING_HOST',
    flag: 'browser-remote-debugging-host',
    description: "Host of the browser's DevTools.",
  }),
  browserPort: named(wholeNumber(1, 65_535).default(9222), {
    env: 'BROWSER_REMOTE_DEBUGGING_PORT',
    flag: 'browser-remote-debugging-port',
    description: "Port of the browser's DevTools.",
  }),
  browserStarter: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_BROWSER_STARTER',
    flag: 'browser-starter',
    description: 'FIFO of a supervisor that starts the browser when something is written to it; the images have one.',
  }),
  browserOnDemand: named(boolean().default(false), {
    env: 'SVC_BROWSER_ON_DEMAND',
    flag: 'browser-on-demand',
    description:
      'Calls that act (navigate, open a tab, screenshot, snapshot, actions, MCP tools of pages) start the browser; ' +
      'calls that look do not.',
  }),
  hungTabSeconds: named(z.union([z.literal('0').transform(() => 0), seconds(1, 3600)]).prefault('0'), {
    env: 'SVC_BROWSER_HUNG_TAB_SECONDS',
    flag: 'browser-hung-tab-seconds',
    description: 'A tab whose page answers nothing for this time is crashed, so that clients can connect; 0: never.',
  }),
  agentBrowser: named(z.string().min(1).optional(), {
    env: 'SVC_AGENT_BROWSER_BIN',
    flag: 'agent-browser-bin',
    description: 'agent-browser CLI that takes snapshots and acts on their references instead of the daemon.',
  }),
} as const;

export type BrowserOptions = OptionValues<typeof BrowserOptions>;
