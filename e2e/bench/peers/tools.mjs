// A minimal stateless MCP server. Arguments: the port, and how many tools it lists; each call is answered at once.
import { createServer } from 'node:http';

const [port, count] = process.argv.slice(2);
const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Absolute path of the file.' },
    depth: { type: 'integer', minimum: 0, maximum: 20 },
    all: { type: 'boolean', default: false },
  },
  required: ['path'],
};
const tools = Array.from({ length: Number(count) }, (_, n) => ({
  name: `tool_${n}`,
  description: `Does the work number ${n}, as a description of ordinary length says in a sentence or two for a model.`,
  inputSchema,
}));

function resultOf({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'tools', version: '1' },
      };
    case 'tools/list':
      return { tools };
    default:
      return { content: [{ type: 'text', text: 'done' }] };
  }
}

createServer(async (request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(request.url === '/health' ? 200 : 405).end();
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const message = JSON.parse(Buffer.concat(chunks).toString());
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  // `server/discover` of a later revision is not known here.
  const known = ['initialize', 'tools/list', 'tools/call'].includes(message.method);
  const answer = known ? { result: resultOf(message) } : { error: { code: -32601, message: 'not found' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}).listen(Number(port), '127.0.0.1');
process.stdin.once('end', () => process.exit()).resume();
