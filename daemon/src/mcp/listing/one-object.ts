type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A choice of objects that differ in one constant (`oneOf` with a discriminator) as one object: the constants become an
 * enum, and only what all of them require is required. A model reads it in a quarter of the bytes; which fields belong
 * to which constant is for the description, and the service still checks it.
 */
export function oneObject(schema: JsonObject): JsonObject {
  const { oneOf, ...rest } = schema;
  if (!Array.isArray(oneOf) || oneOf.length < 2) return schema;
  const parts = oneOf as { readonly properties?: Readonly<Record<string, JsonObject>>; readonly required?: string[] }[];
  const [first, ...others] = parts.map(({ properties = {} }) => properties);
  const kind = Object.keys(first ?? {}).find((key) =>
    parts.every(({ properties }) => 'const' in (properties?.[key] ?? {})),
  );
  if (first === undefined || kind === undefined) return schema;
  const constants = [first, ...others].map((properties) => properties[kind]?.['const']);
  const all = Object.assign({}, ...[first, ...others].toReversed()) as Record<string, JsonObject>;
  const required = (parts[0]?.required ?? []).filter((key) => parts.every((part) => part.required?.includes(key)));
  return { ...rest, type: 'object', properties: { ...all, [kind]: { type: 'string', enum: constants } }, required };
}
