import type { Credential } from './credential.ts';

/**
 * What a request needs of its credential, from the weakest on. `control` is good for commands, and `all` for foreign
 * protocols too.
 */
export type Need = 'any' | 'view' | 'read' | 'files-read' | 'files' | 'control' | 'all';

/** Decisions of routes, by path with the names of its parameters: `METHOD=need`, several with spaces between. */
export type RouteScopes = Readonly<Record<string, string>>;

const GRANTS: Readonly<Record<string, readonly Need[]>> = {
  all: ['any', 'view', 'read', 'files-read', 'files', 'control', 'all'],
  mcp: ['any', 'view', 'read', 'files-read', 'files', 'control'],
  read: ['any', 'view', 'read', 'files-read'],
  view: ['any', 'view'],
  files: ['any', 'files-read', 'files'],
  'files-read': ['any', 'files-read'],
};

/** Scopes to ask for in a refusal. */
const SUFFICIENT: Readonly<Record<Need, string>> = {
  any: 'any scope',
  view: 'view, read, mcp or all',
  read: 'read, mcp or all',
  'files-read': 'files-read:/path, files:/path, read, mcp or all',
  files: 'files:/path, mcp or all',
  control: 'mcp or all',
  all: 'all',
};

/** Whether text names a scope of a key: one of the words, or files: and files-read: with an absolute path. */
export function isScope(text: string): boolean {
  const [kind = '', path] = partsOf(text);
  if (!(kind in GRANTS)) return false;
  const isOfFiles = kind === 'files' || kind === 'files-read';
  return isOfFiles ? path !== undefined && isPlainPath(path) : path === undefined;
}

/** Whether a credential is good for what a request needs; one without scopes is good for all. */
export function permits({ scopes }: Credential, need: Need): boolean {
  return scopes === undefined || scopes.some((scope) => GRANTS[partsOf(scope)[0] ?? '']?.includes(need));
}

/** What refuses a request whose credential is not good for what it needs, which is everything by default. */
export function missingScope(credential: Credential, need: Need = 'all'): Missing | undefined {
  if (permits(credential, need)) return undefined;
  const { name, scopes = [] } = credential;
  const holder = name === undefined ? 'the credential' : `the key ${name}`;
  const sufficient = SUFFICIENT[need];
  return {
    message: `this needs the scope ${sufficient}; ${holder} has ${scopes.join(', ')}`,
    hint: 'use a key with such a scope; SVC_ACCESS_KEYS_FILE has the scopes of each key',
    sufficient,
  };
}

interface Missing {
  readonly message: string;
  readonly hint: string;
  /** Scopes of which one would do. */
  readonly sufficient: string;
}

/** The directories that a credential is confined to; undefined if it may read or write everywhere. */
export interface Confinement {
  readonly read: readonly string[] | undefined;
  readonly write: readonly string[] | undefined;
}

/** Undefined for a credential that is good for files everywhere. */
export function confinementOf(credential: Credential): Confinement | undefined {
  const { scopes } = credential;
  if (scopes === undefined || permits(credential, 'control')) return undefined;
  const below = (kind: string): string[] =>
    scopes.flatMap((scope) => (scope.startsWith(`${kind}:`) ? [scope.slice(kind.length + 1)] : []));
  const write = below('files');
  return { write, read: permits(credential, 'read') ? undefined : [...write, ...below('files-read')] };
}

function partsOf(scope: string): [kind: string, path?: string] {
  const at = scope.indexOf(':');
  return at < 0 ? [scope] : [scope.slice(0, at), scope.slice(at + 1)];
}

/** Without what would make two names of one directory. */
function isPlainPath(path: string): boolean {
  if (path === '/') return true;
  const names = path.split('/').slice(1);
  return path.startsWith('/') && names.every((name) => name !== '' && name !== '.' && name !== '..');
}
