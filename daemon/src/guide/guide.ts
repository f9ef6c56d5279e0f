import { type Operation, type OperationOptions, operationText } from './operation-text.ts';
import { fieldsOf, type Schema, type Schemas } from './schema-text.ts';

/** A description of a surface, as far as the guide reads it. */
export interface SurfaceDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

/** A tool of the MCP hub. */
export interface GuideTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its arguments. */
  readonly input: Schema;
}

/**
 * Bytes of the guide. Its text, field names and braces, has 3.65 bytes a token in the vocabularies cl100k and o200k, so it
 * stays under 6,000 tokens.
 */
export const GUIDE_MAX_BYTES = 21_600;
/** Characters of the description of a tool that a comma does not end. */
const CLAUSE_MIN = 48;

const INTRODUCTION = `# Sandbox: a manual for agents

Commands, files, terminals, code, a browser and, in the desktop image, a desktop, over HTTP.

## Conventions

- Send the key as \`Authorization: Bearer KEY\` where one is set.
- JSON in and out. An answer is \`{success, message, data, hint}\`; the lines below name the fields of \`data\`. On failure \`message\` says what is wrong, \`hint\` what to do.
- Below, \`*\` marks a required field, \`=\` a default, \`#\` a number, \`?\` a bool, false by default, \`{}\` an object, \`[]\` a list; others are text. \` ?\` begins query fields, braces are the JSON body, \`→\` the answer without fields that repeat the request.
- Seconds, bytes. A path is absolute, \`~\`, \`~user\`, or relative to the home; \`cwd\` to that of the session. Answers are absolute. Each path has a twin \`*_b64\` for those that are not UTF-8.
- A command that exits 3 or code that raises is 200: read \`exit_code\`, \`status\`. 400 and 422 name a wrong field, 404 an unknown object, 429 and 503 may be repeated after \`Retry-After\`.
- \`user\` runs as, or gives created files to, another account.
- Long output: read by \`offset\` from \`next_offset\` on, or \`stream=true\` (a POST: \`Accept: application/x-ndjson\`) for NDJSON, \`exit\` or \`result\` last. A lost connection stops nothing; go on by offset.

## Ways to work

- One command: \`POST /v2/commands {"command": "ls"}\`. It waits \`timeout\` seconds; with \`status\` running go on with \`GET /v2/commands/{command_id}?wait=true\`. \`cd\` and \`export\` last for one command; a \`session\` keeps \`cwd\` and \`env\`.
- A server: \`"mode": "async"\`, then open \`/proxy/PORT/\` of this address.
- Programs that need a terminal: \`/v2/pty/sessions\`, \`input\` and \`screen\`.
- Change a file: \`POST /v2/fs/edit\` with \`command: "str_replace"\`; \`old_str\` must match once.
- Python that keeps its variables: \`POST /v2/code/execute\` with \`session_id\`; figures come back as \`image/png\`.
- A web page: \`navigate\`, \`snapshot\` for references, \`click\` and \`fill\` by \`ref\`, \`wait\`, \`snapshot\` again. A CDP client connects to \`/cdp\`.
- As MCP tools: \`POST /mcp\` (last section). All details: \`/v2/openapi.json\`.
`;

/** Methods in the order in which a path lists them. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * The manual of an agent, Markdown, at most `GUIDE_MAX_BYTES`: routes and tools from their own descriptions. Where all
 * detail does not fit, the fields of the answers are left out from the last group on.
 */
export function guideText(document: SurfaceDocument, tools: readonly GuideTool[]): string {
  const groups = groupsOf(document);
  for (let detailed = groups.length; detailed >= 0; detailed -= 1) {
    const text = textOf(document, groups, tools, detailed);
    if (detailed === 0 || Buffer.byteLength(text) <= GUIDE_MAX_BYTES) return text;
  }
  return INTRODUCTION;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The routes by their first tag, in the order in which the tags first appear. */
function groupsOf({ paths = {} }: SurfaceDocument): [string, Route[]][] {
  const groups = new Map<string, Route[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation === undefined) continue;
      const tag = operation.tags?.[0] ?? 'other';
      groups.set(tag, [...(groups.get(tag) ?? []), { method, path, operation }]);
    }
  }
  return [...groups];
}

function textOf(
  { components }: SurfaceDocument,
  groups: readonly [string, Route[]][],
  tools: readonly GuideTool[],
  detailed: number,
): string {
  const schemas = components?.schemas ?? {};
  const printed: Pick<OperationOptions, 'bodies' | 'answers'> = { bodies: new Map(), answers: new Map() };
  const sections = groups.map(([tag, routes], index) => {
    const options = { schemas, withAnswer: index < detailed, ...printed };
    const lines = routes.map(({ method, path, operation }) => `- ${operationText(method, path, operation, options)}`);
    return `\n## ${tag[0]?.toUpperCase()}${tag.slice(1)}\n\n${lines.join('\n')}\n`;
  });
  return INTRODUCTION + sections.join('') + toolsText(tools, schemas);
}

/** What a description begins with, up to a full stop, a list, or a comma that is not near its beginning. */
function firstClause(description: string): string {
  const line = description.replaceAll('\n', ' ');
  const ends = [line.indexOf('. '), line.indexOf(': '), line.indexOf(', ', CLAUSE_MIN)].filter((at) => at >= 0);
  return line.slice(0, Math.min(...ends, line.length));
}

function toolsText(tools: readonly GuideTool[], schemas: Schemas): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({ name, description, input }) => {
    return `- ${name} {${fieldsOf(input, schemas).join(', ')}}: ${firstClause(description)}`;
  });
  return `\n## MCP tools\n\n${lines.join('\n')}\n`;
}
