/** What names JavaScript on Node, with the version of 1.x clients: `node20`, `nodejs22`. */
const NAME = /^(?:javascript|nodejs|node|js)(\d{1,3})?$/;
/** `node20`, `20`, `v20.1.0`. */
const VERSION = /^(?:node(?:js)?|v)?(\d{1,3})(?:\.|$)/;

/** What a name asks for. */
interface NodeRequest {
  readonly language: 'javascript' | 'typescript';
  /** Null: any. */
  readonly major: number | null;
  /** The version for people; undefined if none is named. */
  readonly version: string | undefined;
}

/** Undefined if it names no language of Node. */
export function nodeRequest(language: string, version: string | undefined): NodeRequest | undefined {
  const name = language.toLowerCase();
  const isTypeScript = name === 'typescript' || name === 'ts';
  const named = isTypeScript ? undefined : NAME.exec(name);
  if (!isTypeScript && !named) return undefined;
  const wanted = version || named?.[1];
  const major = VERSION.exec((wanted ?? '').toLowerCase())?.[1];
  return {
    language: isTypeScript ? 'typescript' : 'javascript',
    major: major === undefined ? null : Number(major),
    version: major === undefined ? wanted : `node${major}`,
  };
}

/** The nearest major version, the newer of two that are as near. */
export function nearest<T extends { readonly major: number }>(found: readonly T[], major: number): T | undefined {
  return found.toSorted((a, b) => distance(a, major) - distance(b, major) || b.major - a.major)[0];
}

function distance(found: { readonly major: number }, major: number): number {
  return Math.abs(found.major - major);
}
