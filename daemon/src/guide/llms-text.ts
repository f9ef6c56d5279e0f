import { PRODUCT } from '@sandbox/program/product.ts';

/** The index for language models at `/llms.txt` (llmstxt.org): relative links, so that it holds below any prefix. */
export const LLMS_TEXT = `# ${PRODUCT.title}

> A machine for an agent: commands, files, terminals, code, a browser and a desktop over HTTP and WebSocket. Every path but the descriptions needs the key where one is set: \`Authorization: Bearer KEY\`.

## Manual

- [Guide](v2/guide): conventions, every route and every MCP tool in under 6,000 tokens; read this first

## Descriptions

- [API v2](v2/openapi.json): OpenAPI 3.1, all schemas
- [API v1](v1/openapi.json): the routes that clients of 1.x call
- [Explorer](docs): the same for people, in a browser

## Optional

- [MCP hub](mcp): POST JSON-RPC; the same work as tools
- [Sandbox](v2/sandbox): what this machine is and has
- [Metrics](metrics): figures in the Prometheus text format
`;
