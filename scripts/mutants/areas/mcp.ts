import type { MutantArea } from '../mutant.ts';

const MCP = 'daemon/src/mcp';

export const MCP_HUB: MutantArea = {
  name: 'mcp',
  tests: [MCP],
  mutants: [
    {
      id: 'doubtful-id-cancels',
      file: `${MCP}/calls-in-flight.ts`,
      text: 'if (call === undefined || others.length > 0 || this.#endedLately(name)) return false;',
      replacement: 'if (call === undefined) return false;',
    },
    {
      id: 'callers-look-alike',
      file: `${MCP}/calls-in-flight.ts`,
      text: 'CALLER.map((name) => headerOf(headers, name))',
      replacement: 'CALLER.map((name) => headerOf({}, name))',
    },
    {
      id: 'batch-in-the-order-of-ends',
      file: `${MCP}/batch.ts`,
      text: 'responses[at] = await serveOne(message, serve);',
      replacement: 'responses.push(at < 0 ? undefined : await serveOne(message, serve));',
    },
    {
      id: 'batch-of-any-revision',
      file: `${MCP}/endpoint.ts`,
      text: 'if (version !== undefined && version !== BATCH_VERSION) {',
      replacement: 'if (version === BATCH_VERSION.repeat(2)) {',
    },
    {
      id: 'first-page-alone',
      file: `${MCP}/upstream/upstream.ts`,
      text: 'if (cursor === undefined) break;',
      replacement: 'break;',
    },
    {
      id: 'late-list-is-forgotten',
      file: `${MCP}/upstream/kept-tools.ts`,
      text: 'timeoutSignal(this.#terms.endMs)',
      replacement: 'timeoutSignal(this.#terms.patienceMs)',
    },
    {
      id: 'answer-has-no-bound',
      file: `${MCP}/upstream/bounded-fetch.ts`,
      text: 'if (bytes <= ANSWER_BYTES) controller',
      replacement: 'if (bytes <= ANSWER_BYTES * 1000) controller',
    },
    {
      id: 'missing-response-is-waited-for',
      file: `${MCP}/upstream/answered-transport.ts`,
      text: 'if (!answer.isStream) fail();',
      replacement: '',
    },
    {
      id: 'last-server-of-a-name-wins',
      file: `${MCP}/hub.ts`,
      text: 'if (!listed.has(tool.name)) listed.set(tool.name, tool);',
      replacement: 'listed.set(tool.name, tool);',
    },
    {
      id: 'server-beyond-loopback',
      file: `${MCP}/upstream/registry.ts`,
      text: "url.protocol !== 'http:' || !LOOPBACK.has(url.hostname)",
      replacement: "url.protocol !== 'http:'",
    },
    {
      id: 'isolated-call-moves-the-shell',
      file: 'daemon/src/capabilities/commands/shell/shared-shell.ts',
      text: 'if (isOver && !call.isolated) this.#directory = cwd;',
      replacement: 'if (isOver) this.#directory = cwd;',
    },
    {
      id: 'script-is-read-as-a-directory',
      file: 'daemon/src/capabilities/commands/shell/directory-file.ts',
      text: 'bytes.length, this.#begin)',
      replacement: 'bytes.length, 0)',
    },
    {
      id: 'progress-stands-still',
      file: `${MCP}/call-tool.ts`,
      text: 'step += 1;',
      replacement: '',
    },
    {
      id: 'type-has-a-charset',
      file: 'daemon/src/http/mcp/mcp-route.ts',
      text: 'reply.serializer(asItIs).send(body)',
      replacement: 'reply.send(asItIs(body))',
    },
  ],
};
