import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { AccountPrograms } from '../../../core/account/account-programs.ts';
import type { Language } from './interpreters.ts';

/** Milliseconds that an interpreter may take to list its packages. */
const LIST_MS = 30_000;

/** Prints a JSON array of [name, version] of everything that `import` finds. */
const PYTHON_LIST = `
import importlib.metadata, json
found = {}
for d in importlib.metadata.distributions():
    name = d.metadata["Name"]
    if name: found.setdefault(str(name), str(d.version))
print(json.dumps(list(found.items())))
`;

/** Prints a JSON array of [name, version] of the global packages: those beside node, npm's prefix and NODE_PATH. */
const NODEJS_LIST = `
const { readdirSync, readFileSync } = require('node:fs');
const { delimiter, join, resolve } = require('node:path');
const prefixes = [process.env.npm_config_prefix, process.env.NPM_CONFIG_PREFIX, prefixOf(join(process.env.HOME || '/', '.npmrc')),
  prefixOf(resolve(process.execPath, '../../etc/npmrc'))];
const roots = [...prefixes.filter(Boolean).map((prefix) => join(prefix, 'lib', 'node_modules')),
  ...(process.env.NODE_PATH || '').split(delimiter).filter(Boolean), resolve(process.execPath, '../../lib/node_modules')];
const found = new Map();
for (const root of roots) for (const name of namesIn(root)) {
  try {
    const { version } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
    if (!found.has(name)) found.set(name, String(version));
  } catch {}
}
console.log(JSON.stringify([...found]));
function list(path) { try { return readdirSync(path); } catch { return []; } }
function namesIn(root) {
  return list(root).flatMap((name) => name.startsWith('.') ? []
    : name.startsWith('@') ? list(join(root, name)).map((inner) => name + '/' + inner) : [name]);
}
function prefixOf(file) {
  try { return /^prefix *= *(\\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.replace('\${HOME}', process.env.HOME); } catch { return undefined; }
}
`;

const LISTERS: Readonly<
  Record<Language, { readonly programs: readonly string[]; readonly args: readonly string[]; readonly hint: string }>
> = {
  python: { programs: ['python3', 'python'], args: ['-c', PYTHON_LIST], hint: 'apt-get install python3' },
  nodejs: { programs: ['node', 'nodejs'], args: ['-e', NODEJS_LIST], hint: 'apt-get install nodejs' },
};

/**
 * The installed packages, one `- name==version` a line, by name.
 * @throws SandboxError `unavailable` if there is no interpreter, or it does not answer
 */
export async function packageLines(language: Language, programs: AccountPrograms): Promise<string> {
  const { programs: names, args, hint } = LISTERS[language];
  const path = names.map((name) => programs.find(name)).find((found) => found !== undefined);
  if (path === undefined) throw new SandboxError('unavailable', `no ${names.join(' or ')} on PATH`, { hint });
  const packages = parse(await programs.output(path, args, LIST_MS));
  if (packages === undefined) {
    throw new SandboxError('unavailable', `${path} does not list its packages`, { hint: `see what ${path} prints` });
  }
  const byName = packages.toSorted(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return byName.map(([name, version]) => `- ${name}==${version}`).join('\n');
}

function parse(text: string | undefined): (readonly [string, string])[] | undefined {
  try {
    const packages: unknown = JSON.parse(text ?? '');
    if (!Array.isArray(packages)) return undefined;
    return packages.filter(Array.isArray).map(([name, version]) => [oneLine(name), oneLine(version)] as const);
  } catch {
    return undefined;
  }
}

/** What a package says of itself may have any character. */
function oneLine(text: unknown): string {
  return String(text).replaceAll(/\s+/g, ' ');
}
