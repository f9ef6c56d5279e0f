import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { VERSION } from '@sandbox/api/version.ts';
import { z } from 'zod';
import { defineTool } from '../../core/tools/tool.ts';
import type { SandboxService } from './sandbox-service.ts';
import { SYSTEM_FIELDS, systemData } from './wire/system.ts';

const Interpreter = z.object({ version: z.string().nullable(), path: z.string() });

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

const getContext = defineTool({
  name: 'sandbox_get_context',
  order: 5,
  title: 'Describe the sandbox',
  description: `Describes the sandbox: operating system, account, home directory, time zone, ports in use, versions of
the service, Python and Node, and known programs on PATH. Call it once at the beginning of a task.
Example: {}`,
  annotations: READ_ONLY,
  schema: z.object({}),
  outputSchema: z.object({
    version: z.string(),
    ...SYSTEM_FIELDS,
    workspace: z.string(),
    python: z.array(Interpreter),
    nodejs: z.array(Interpreter),
    tools: z.array(z.object({ category: z.string(), tools: z.array(z.string()) })),
  }),
  handler: async (service: SandboxService) => {
    const { system, python, nodejs, utilities } = await service.context();
    return {
      version: VERSION,
      ...systemData(system),
      workspace: system.home,
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
  description: `Lists the installed packages of Python, of Node (the global ones), or of both without language, one
"- name==version" a line.
Example: {"language": "python"}`,
  annotations: READ_ONLY,
  schema: z.object({
    language: z.enum(['python', 'nodejs']).optional(),
  }),
  handler: (service: SandboxService, { language }) =>
    language === undefined ? allPackages(service) : service.packages(language),
});

/** Both lists under their headings; of a language that is not there, why. */
async function allPackages(service: SandboxService): Promise<string> {
  const [python, nodejs] = await Promise.allSettled([service.packages('python'), service.packages('nodejs')]);
  return `Python Packages:\n${listOf(python)}\n\nNode.js Packages:\n${listOf(nodejs)}`;
}

function listOf(result: PromiseSettledResult<string>): string {
  if (result.status === 'fulfilled') return result.value;
  if (result.reason instanceof SandboxError) return `(${result.reason.message})`;
  throw result.reason;
}

export const sandboxTools = [getContext, getPackages];
