import { importsOf } from './imports.ts';
import { targetOf } from './rules.ts';
import { tokenize } from './tokens.ts';

/** The shared parts of the daemon, which serve every capability and know none. */
const SHARED = /^daemon\/src\/(?:(?:core|http|mcp)\/|app\.ts$)/;
const CAPABILITY = /^daemon\/src\/capabilities\/(?!index\.ts$)/;
/** Shared files that know one for a reason. */
const EXCEPTIONS: readonly { readonly file: string; readonly because: string }[] = [
  { file: 'daemon/src/http/surfaces.ts', because: 'the contract fixes paths beside the capabilities' },
];

/** The first segments of the paths below a surface's prefix in an OpenAPI document. */
export function segmentsOf(paths: readonly string[]): Set<string> {
  return new Set(paths.flatMap((path) => /^\/v\d\/([a-z_-]+)/.exec(path)?.[1] ?? []));
}

/** Where a shared file imports a capability, or writes a path of one, as `file:line text`. */
export function capabilityNames(file: string, source: string, segments: ReadonlySet<string>): string[] {
  if (!SHARED.test(file) || /\.(?:test|fixture)\.ts$/.test(file)) return [];
  if (EXCEPTIONS.some((exception) => exception.file === file)) return [];
  const imports = importsOf(source)
    .map(({ specifier, line }) => ({ line, text: targetOf(file, specifier) }))
    .filter(({ text }) => CAPABILITY.test(text));
  const literals = tokenize(source).filter(({ kind, text }) => {
    const segment = /^\/(?:v\d\/)?([a-z_-]+)(?:\/|$)/.exec(text)?.[1];
    return kind === 'string' && segment !== undefined && segments.has(segment);
  });
  return [...imports, ...literals].map(({ line, text }) => `${file}:${line} ${text}`);
}
