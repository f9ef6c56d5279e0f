import type { Interpreter } from './interpreters.ts';
import type { SystemFacts } from './system.ts';
import type { UtilityCategory } from './utilities.ts';

/** What a model is told of the sandbox before it works in it. */
export interface Context {
  readonly system: SystemFacts;
  readonly python: readonly Interpreter[];
  readonly nodejs: readonly Interpreter[];
  readonly utilities: readonly UtilityCategory[];
}

/** The context as text for a model. */
export function summaryOf({ system, python, nodejs, utilities }: Context): string {
  const ports = system.occupiedPorts.length === 0 ? 'none' : system.occupiedPorts.join(', ');
  return [
    `System: ${system.os} (${system.type} ${system.kernel}, ${system.arch})`,
    `User: ${system.user}`,
    `Home and workspace: ${system.home}`,
    `Time zone: ${system.timezone}`,
    `Ports in use: ${ports}`,
    `Python: ${interpreters(python)}`,
    `Node.js: ${interpreters(nodejs)}`,
    'Tools:',
    ...utilities.map(({ category, tools }) => `- ${category}: ${tools.map(({ name }) => name).join(', ')}`),
  ].join('\n');
}

function interpreters(found: readonly Interpreter[]): string {
  if (found.length === 0) return 'none';
  return found
    .map(({ version, path, aliases }) => `${version ?? 'unknown version'} (${[path, ...aliases].join(', ')})`)
    .join('; ');
}
