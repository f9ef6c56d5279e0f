import { accessSync, constants } from 'node:fs';
import { lookUpIdentity } from './account/identity.ts';
import type { Config } from './config.ts';
import type { Finding } from './finding.ts';
import { keeperProgram } from './process/keeper/keeper-program.ts';
import { findTool } from './tool-path.ts';

/** A tool that commands or capabilities use. */
interface Tool {
  readonly name: string;
  /** Program names, the first one found serves. */
  readonly programs: readonly string[];
  readonly required: boolean;
  readonly hint: string;
}

const TOOLS: readonly Tool[] = [
  { name: 'shell', programs: ['bash', 'sh'], required: true, hint: 'install bash' },
  {
    name: 'setpriv',
    programs: ['setpriv'],
    required: false,
    hint: 'apt-get install util-linux: commands can then run as other accounts',
  },
  { name: 'python', programs: ['python3'], required: false, hint: 'apt-get install python3: Python code and packages' },
  { name: 'node', programs: ['node'], required: false, hint: 'apt-get install nodejs: JavaScript code and packages' },
  { name: 'ripgrep', programs: ['rg'], required: false, hint: 'apt-get install ripgrep: faster search in files' },
  { name: 'tmux', programs: ['tmux'], required: false, hint: 'apt-get install tmux: the tmux backend of terminals' },
  { name: 'git', programs: ['git'], required: false, hint: 'apt-get install git' },
  {
    name: 'browser',
    programs: ['chromium', 'chromium-browser', 'google-chrome'],
    required: false,
    hint: 'apt-get install chromium: the browser routes and /cdp',
  },
];

/** Looks at this machine: what is there for the service, and how to get what is missing. */
export async function examine(config: Config): Promise<(Finding & { required: boolean })[]> {
  const tools = TOOLS.map(({ name, programs, required, hint }) => {
    const path = programs.map((program) => findTool(program)).find((found) => found !== undefined);
    return path === undefined
      ? { name, ok: false, required, detail: `no ${programs.join(' or ')} on PATH`, hint }
      : { name, ok: true, required, detail: path };
  });
  return [
    ...tools,
    checkProcessHost(config),
    checkRuntimeDir(config.runtimeDir),
    ...checkDefaultUser(config.defaultUser),
  ];
}

/** Without a keeper the portable host serves, whose commands end with the daemon. */
function checkProcessHost({ processHost, keeperProgram: given }: Config): Finding & { required: boolean } {
  const name = 'process keeper';
  const required = processHost === 'keeper' || given !== undefined;
  if (processHost === 'portable') return { name, ok: true, required, detail: 'not wanted: SVC_PROCESS_HOST=portable' };
  if (processHost === 'supervised') return { name, ok: true, required, detail: 'started by something else' };
  const { path, isThere } = keeperProgram(given);
  if (isThere) return { name, ok: true, required, detail: path };
  const detail = `none at ${path}: commands end with the daemon, and their usage is not known`;
  return { name, ok: false, required, detail, hint: 'apt-get install gcc libc6-dev, then npm run build' };
}

function checkRuntimeDir(path: string): Finding & { required: boolean } {
  const name = 'runtime directory';
  for (let place = path; ; place = place.slice(0, place.lastIndexOf('/')) || '/') {
    try {
      accessSync(place, constants.W_OK);
      return { name, ok: true, required: true, detail: path };
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing || place === '/') {
        return {
          name,
          ok: false,
          required: true,
          detail: `${place} cannot be written`,
          hint: 'point SVC_RUNTIME_DIR elsewhere',
        };
      }
    }
  }
}

function checkDefaultUser(user: string | undefined): (Finding & { required: boolean })[] {
  if (user === undefined) return [];
  const name = 'default user';
  try {
    return [{ name, ok: true, required: true, detail: `${user}, home ${lookUpIdentity(user).home}` }];
  } catch (error) {
    return [
      {
        name,
        ok: false,
        required: true,
        detail: error instanceof Error ? error.message : String(error),
        hint: 'correct SVC_DEFAULT_USER',
      },
    ];
  }
}
