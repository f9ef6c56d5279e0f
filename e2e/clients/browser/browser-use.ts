import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/root.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

/** Its own limits of 8 to 30 s are short on a busy machine. */
const LIMITS = [
  'ClickElement',
  'NavigateToUrl',
  'Scroll',
  'SelectDropdownOption',
  'UploadFile',
  'BrowserStateRequest',
  'BrowserStart',
  'BrowserConnected',
  'SwitchTab',
];

/** Has Python run a program of this directory that uses browser-use, a hundred packages; what it prints. */
export async function browserUse(program: string, args: readonly string[]): Promise<string> {
  const python = await virtualEnvironment('browser-use', [['install', '--quiet', 'browser-use==0.13.14']]);
  const patience = Object.fromEntries(LIMITS.map((event) => [`TIMEOUT_${event}Event`, '120']));
  const quiet = { ANONYMIZED_TELEMETRY: 'false', BROWSER_USE_LOGGING_LEVEL: 'warning' };
  const argv = ['-P', join(ROOT, 'e2e/clients/browser', program), ...args];
  const env = { ...process.env, ...quiet, ...patience };
  return (await promisify(execFile)(python, argv, { timeout: 500_000, env })).stdout;
}
