import { z } from 'zod';
import { defineTool } from '../../core/tools/tool.ts';
import type { SandboxService } from './sandbox-service.ts';

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

const getContext = defineTool({
  name: 'sandbox_get_context',
  order: 5,
  title: 'Read what the sandbox is and has',
  description: `Describes the machine: system, account, home directory, time zone, ports in use, versions of Python and
Node, and programs on PATH. Call it once at the beginning, not before each command.
Example: {}`,
  annotations: READ_ONLY,
  schema: z.object({}),
  handler: async (service: SandboxService) => {
    const { system, python, nodejs, utilities } = await service.context();
    return {
      hostname: system.hostname,
      os: system.os,
      kernel: system.kernel,
      arch: system.arch,
      user: system.user,
      home_dir: system.home,
      workspace: system.home,
      timezone: system.timezone,
      occupied_ports: [...system.occupiedPorts],
      python: python.map(({ version, path }) => ({ version, path })),
      nodejs: nodejs.map(({ version, path }) => ({ version, path })),
      tools: utilities.map(({ category, tools }) => ({ category, tools: tools.map(({ name }) => name) })),
    };
  },
});

const getPackages = defineTool({
  name: 'sandbox_get_packages',
  order: 6,
  title: 'List installed packages',
  description: `Lists the installed packages of Python or Node, one "- name==version" a line. Use it before you install
or import something; it does not install.
Example: {"language": "python"}`,
  annotations: READ_ONLY,
  schema: z.object({
    language: z.enum(['python', 'nodejs']).default('python').meta({ description: 'Whose packages.' }),
  }),
  handler: (service: SandboxService, { language }) => service.packages(language),
});

export const sandboxTools = [getContext, getPackages];
