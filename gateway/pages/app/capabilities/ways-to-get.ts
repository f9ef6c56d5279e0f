import { imageName } from '@sandbox/program/product.ts';
import type { SandboxState } from '../../../src/landing/state-fields.ts';
import type { Capabilities } from './facts.ts';

/** Something that a sandbox may have. */
export interface Part {
  readonly name: string;
  /** What it is for. */
  readonly about: string;
  readonly has: boolean;
  /** What it has of it. */
  readonly detail?: string;
  /** What to do if it is missing. */
  readonly obtain: readonly string[];
}

export const GET_BROWSER = [
  'In the images: POST /v2/browser/start, or the command start-browser.',
  'On a host: apt-get install chromium, start it with --remote-debugging-port=9222, or name another one with BROWSER_REMOTE_DEBUGGING_HOST and BROWSER_REMOTE_DEBUGGING_PORT.',
];
export const GET_DESKTOP = [
  `The images ${imageName('daemon')} and ${imageName('desktop')} have a display.`,
  'On a host: apt-get install --no-install-recommends tigervnc-standalone-server novnc, start Xtigervnc, and name its socket or host:port with GATEWAY_VNC.',
];
const GET_KERNELS = [
  'pip install ipykernel in the Python that is first on the PATH of commands, then read this page again.',
];

/** What a sandbox has and has not, with how to get what is missing. */
export function partsOf(
  { exec, files, code_interpreter: code, browser, computer }: Capabilities,
  { applications }: Pick<SandboxState, 'applications'>,
): readonly Part[] {
  return [
    { name: 'Files', about: 'read, write, upload, watch', has: files, obtain: ['See the checks below.'] },
    { name: 'Terminals', about: 'shells that outlive the page', has: exec.pty, obtain: ['See the checks below.'] },
    {
      name: 'tmux',
      about: 'terminals as tmux sessions (SVC_SHELL_BACKEND=tmux)',
      has: exec.tmux,
      obtain: ['apt-get install tmux'],
    },
    { name: 'ripgrep', about: 'faster search in files', has: exec.rg, obtain: ['apt-get install ripgrep'] },
    {
      name: 'Python kernels',
      about: 'code cells with state, rich outputs',
      has: code.python_kernels.length > 0,
      detail: code.python_kernels.join(', '),
      obtain: GET_KERNELS,
    },
    { name: 'JavaScript', about: 'code cells on Node.js', has: code.node, obtain: ['Install Node.js 20 or later.'] },
    { name: 'Browser', about: 'pages for agents, through REST and DevTools', has: browser, obtain: GET_BROWSER },
    {
      name: 'Desktop',
      about: 'the display in this page',
      has: applications.desktop === 'running',
      obtain: GET_DESKTOP,
    },
    {
      name: 'Desktop control',
      about: 'mouse, keyboard and windows for agents',
      has: computer.status === 'ready' || computer.status === 'degraded',
      detail: computer.status,
      obtain: [`The image ${imageName('desktop')} has the desktop worker.`],
    },
    editor('VS Code (code-server)', 'editing', applications['code-server'], 'DISABLE_CODE_SERVER'),
    editor('JupyterLab', 'notebooks', applications.jupyter, 'DISABLE_JUPYTER'),
  ];
}

function editor(name: string, about: string, state: SandboxState['applications']['jupyter'], variable: string): Part {
  const enable = `Start the image with ${variable}=false.`;
  const wait = 'It is enabled, but does not listen: it may still be starting.';
  return { name, about, has: state === 'running', obtain: [state === 'stopped' ? wait : enable] };
}
