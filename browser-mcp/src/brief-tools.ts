import type { Message } from './json-rpc.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Said of eleven fields. */
const TARGET = 'Exact target element reference from the page snapshot, or a unique element selector';
const BRIEF_TARGET = 'Reference of the snapshot, or a selector';
/** Fields that only say to a person what another field names. */
const FOR_A_PERSON = /^Human-readable (?:source |target )?element description/;
/** The end of the first sentence. */
const SENTENCE = /\. (?=[A-Z])/;

/** The answer to `tools/list` in fewer bytes, since a model reads all of them: the calls stay as they are. */
export function briefTools(answer: Message): Message {
  const { tools, ...result } = (answer.result ?? {}) as { readonly tools?: unknown };
  if (!Array.isArray(tools)) return answer;
  return { ...answer, result: { ...result, tools: tools.map(briefTool) } };
}

function briefTool({ inputSchema, annotations, ...tool }: JsonObject): JsonObject {
  const { title, readOnlyHint } = (annotations ?? {}) as JsonObject;
  const { $schema: _, ...schema } = inputSchema as JsonObject;
  // What is left out of the annotations is what their absence says too.
  return {
    ...tool,
    inputSchema: brief(schema),
    annotations: { title, ...(readOnlyHint === true && { readOnlyHint }) },
  };
}

function brief(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(brief);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(([key, part]) => !(key === 'additionalProperties' && part === false));
  return Object.fromEntries(
    members.map(([key, part]) => [key, key === 'properties' ? fields(part) : briefMember(key, part)]),
  );
}

function fields(properties: unknown): unknown {
  const named = Object.entries(properties as Readonly<Record<string, JsonObject>>);
  const kept = named.filter(([, { description }]) => !FOR_A_PERSON.test(String(description)));
  return Object.fromEntries(kept.map(([name, field]) => [name, brief(field)]));
}

function briefMember(key: string, part: unknown): unknown {
  if (key !== 'description' || typeof part !== 'string') return brief(part);
  return part === TARGET ? BRIEF_TARGET : (part.split(SENTENCE, 1)[0] ?? part);
}
