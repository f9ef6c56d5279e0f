import { notOfSandbox } from './shape.ts';

const DEEPEST = 200;

/** `snake_case` of the wire as `camelCase`. */
type CamelName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : Name;

/** A type of the wire with the names of this package. */
export type Camel<T> = T extends readonly (infer Item)[]
  ? readonly Camel<Item>[]
  : T extends object
    ? { readonly [Name in keyof T as CamelName<Name>]: Camel<T[Name]> }
    : T;

/** Renames the fields of an answer, at every depth. Not for maps whose keys are values. */
export function camel<T>(value: T): Camel<T> {
  return renamed(value, 0) as Camel<T>;
}

function renamed(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw notOfSandbox('it is nested too deep');
  if (Array.isArray(value)) return value.map((item) => renamed(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [camelName(name), renamed(item, depth + 1)]));
}

function camelName(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
