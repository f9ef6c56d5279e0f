// A stateless MCP server on a loopback port, without packages: what a person would put beside the service. Arguments:
// the port, by default 9000. Its tools: one that adds, and those that the conformance suite calls.
import { createServer } from 'node:http';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const text = (words) => ({ type: 'text', text: words });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const resource = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });

const NOTHING = { type: 'object', properties: {} };
const NUMBERS = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
};

const add = ({ a, b }) => ({ content: [text(String(a + b))] });

/** By name: the schema of the arguments, and what a call answers. */
const TOOLS = {
  add: [NUMBERS, add],
  fixture_add: [NUMBERS, add],
  test_simple_text: [NOTHING, () => ({ content: [text('This is a simple text response for testing.')] })],
  test_image_content: [NOTHING, () => ({ content: [image] })],
  test_audio_content: [NOTHING, () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] })],
  test_embedded_resource: [
    NOTHING,
    () => ({ content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')] }),
  ],
  test_multiple_content_types: [
    NOTHING,
    () => ({
      content: [
        text('Multiple content types test:'),
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  ],
  test_error_handling: [
    NOTHING,
    () => ({ isError: true, content: [text('This tool intentionally returns an error for testing')] }),
  ],
  test_tool_with_progress: [NOTHING, () => ({ content: [text('done')] })],
  json_schema_2020_12_tool: [
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    () => ({ content: [text('ok')] }),
  ],
};

function answerTo({ method, params }) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return {
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fixture', version: '1' } },
    };
  }
  if (method === 'tools/list') {
    const tools = Object.entries(TOOLS).map(([name, [inputSchema]]) => ({ name, description: name, inputSchema }));
    return { result: { tools } };
  }
  const tool = method === 'tools/call' ? TOOLS[params.name] : undefined;
  if (tool !== undefined) return { result: tool[1](params.arguments ?? {}) };
  return { error: { code: -32601, message: `not found: ${method}` } };
}

/** Progress before the result, where the caller asked for it. */
function stream(res, { id, params }, answer) {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (message) => res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  for (const progress of [0, 50, 100]) {
    const at = { progressToken: params._meta.progressToken, progress, total: 100 };
    send({ method: 'notifications/progress', params: at });
  }
  send({ id, ...answer });
  res.end();
}

const server = createServer(async (req, res) => {
  if (req.method !== 'POST') return res.writeHead(405).end();
  const message = JSON.parse(Buffer.concat(await Array.fromAsync(req)).toString());
  if (message.id === undefined) return res.writeHead(202).end();
  const answer = answerTo(message);
  if (message.params?._meta?.progressToken !== undefined) return stream(res, message, answer);
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
});
server.listen(Number(process.argv[2] ?? 9000), '127.0.0.1', () => process.stdout.write('serving tools\n'));
