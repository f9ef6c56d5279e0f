import type { z } from 'zod';
import type { ActivityReport } from '../../../core/activity/activity.ts';
import type { Interpreter } from '../context/interpreters.ts';
import type { Context } from '../context/summary.ts';
import { systemData } from '../wire/system.ts';
import type { SandboxActivity, SandboxInfo } from './schemas.ts';

type Info = z.output<typeof SandboxInfo>;

interface About {
  readonly version: string;
  readonly uptime: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly capabilities: Info['capabilities'];
}

export function infoData({ system, python, nodejs, utilities }: Context, about: About): Info {
  return {
    version: about.version,
    ...systemData(system),
    workspace_dir: system.home,
    uptime_seconds: about.uptime,
    python: python.map(interpreterData),
    nodejs: nodejs.map(interpreterData),
    tools: utilities.map(({ category, tools }) => ({ category, tools: [...tools] })),
    labels: { ...about.labels },
    capabilities: about.capabilities,
  };
}

export function activityData({ state, since, holders, last }: ActivityReport): z.input<typeof SandboxActivity> {
  return {
    state,
    since: since.toISOString(),
    holders: holders.map(({ kind, id, key, since: begun }) => ({ kind, id, key, since: begun.toISOString() })),
    last: {
      command: timeOf(last.command),
      terminal: timeOf(last.terminal),
      file: timeOf(last.file),
      cell: timeOf(last.cell),
      browser: timeOf(last.browser),
      transfer: timeOf(last.transfer),
    },
  };
}

function interpreterData({ version, path, aliases }: Interpreter): Info['python'][number] {
  return { version, path, aliases: [...aliases] };
}

function timeOf(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
