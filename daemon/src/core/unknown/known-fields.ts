import type { z } from 'zod';

/** What a schema says of the members of an object: a schema for each name, or any names if `isOpen`. */
interface Members {
  readonly fields: ReadonlyMap<string, readonly z.core.$ZodType[]>;
  readonly isOpen: boolean;
}

type Path = readonly (string | number)[];

/** A field that no schema names. */
export interface UnknownField {
  /** Names and indexes from the root of the value. */
  readonly path: Path;
  /** Names that are valid in its place. */
  readonly known: readonly string[];
}

/** The name under which the elements of an array are looked up. */
const EACH = '[]';

const OPEN: Members = { fields: new Map(), isOpen: true };
const cache = new WeakMap<z.core.$ZodType, Members | undefined>();

/** The first `limit` members of a value, at any depth, that its schema does not name. */
export function unknownFields(schema: z.core.$ZodType, value: unknown, limit: number): UnknownField[] {
  return [...unknownIn([schema], value, []).take(limit)];
}

function* unknownIn(schemas: readonly z.core.$ZodType[], value: unknown, path: Path): Generator<UnknownField> {
  if (typeof value !== 'object' || value === null) return;
  const { fields, isOpen } = membersOfEach(schemas, value);
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const named = fields.get(typeof key === 'number' ? EACH : key);
    if (named) yield* unknownIn(named, item, [...path, key]);
    else if (!isOpen) yield { path: [...path, key], known: [...fields.keys()] };
  }
}

/** The elements of an array are members with one name; an array that no schema describes has no field to name. */
function membersOfEach(schemas: readonly z.core.$ZodType[], value: object): Members {
  if (!Array.isArray(value)) return merged(schemas.map(membersOf));
  const elements = schemas.flatMap(elementsOf);
  return elements.length === 0 ? OPEN : { fields: new Map([[EACH, elements]]), isOpen: false };
}

/** The members of a value that one of several schemas describes; those that are not of an object have no say. */
function merged(all: readonly (Members | undefined)[]): Members {
  const objects = all.filter((members) => members !== undefined);
  const [only] = objects;
  if (only === undefined) return OPEN;
  if (objects.length === 1) return only;
  const fields = new Map<string, z.core.$ZodType[]>();
  for (const [name, schemas] of objects.flatMap((members) => [...members.fields])) {
    fields.set(name, [...(fields.get(name) ?? []), ...schemas]);
  }
  return { fields, isOpen: objects.some(({ isOpen }) => isOpen) };
}

/** The members that an object of this schema may have; undefined: it is not the schema of an object. */
function membersOf(schema: z.core.$ZodType): Members | undefined {
  if (!cache.has(schema)) cache.set(schema, makeMembers(schema));
  return cache.get(schema);
}

function makeMembers(schema: z.core.$ZodType): Members | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]) => [name, [field]] as const);
      return { fields: new Map(fields), isOpen: def.catchall !== undefined };
    }
    case 'record':
    case 'any':
    case 'unknown':
      return OPEN;
    default: {
      const inner = innerOf(schema).map(membersOf);
      return inner.some((members) => members !== undefined) ? merged(inner) : undefined;
    }
  }
}

/** Schemas of the elements of an array. */
function elementsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'array' ? [def.element] : innerOf(schema).flatMap(elementsOf);
}

/** The schemas that see the same input as this one. */
function innerOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return [def.innerType];
    case 'pipe':
      // A preprocessed value is not the one that was sent.
      return isTransform(def.in) ? [def.out] : [def.in];
    case 'union':
      return def.options;
    case 'intersection':
      return [def.left, def.right];
    case 'lazy':
      return [def.getter()];
    default:
      return [];
  }
}

function isTransform(schema: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === 'transform';
}
