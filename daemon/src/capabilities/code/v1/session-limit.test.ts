import { expect } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { McpCaller } from '../../../mcp/mcp.fixture.ts';
import { PATIENCE_MS, testKernels } from '../cells.fixture.ts';

const CELL = { language: 'python', code: '1' };

/** How a session is made without an id, and how one with an id is made or used. */
const ROUTES = [
  { name: '/v1/code', anonymous: ['/v1/code/execute', { ...CELL, stateful: true }], named: ['/v1/code/execute', CELL] },
  {
    name: '/v1/jupyter',
    anonymous: ['/v1/jupyter/sessions/create', {}],
    named: ['/v1/jupyter/execute', { code: '1' }],
  },
  { name: '/v2/code', anonymous: ['/v2/code/sessions', {}], named: ['/v2/code/execute', CELL] },
] as const;

describeOnHosts('sessions at the limit', ({ processHost }) => {
  for (const { name, anonymous, named } of ROUTES) {
    testKernels(
      `[code.session-gives-way] ${name}: the oldest session without a name gives way, else 429 lists them`,
      async () => {
        await using daemon = await TestApp.start({ kernelMaxSessions: 2 });
        const open = (id?: string, more: object = {}) => {
          const [url, body] = id === undefined ? anonymous : named;
          return daemon.post(url, { ...body, ...more, session_id: id });
        };
        const idOf = async (id?: string): Promise<string> => {
          const answer = await open(id);
          expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
          return answer.json().data.session_id;
        };
        const ids = async () => Object.keys((await daemon.inject('/v1/jupyter/sessions')).json().data.sessions).sort();
        const [first, second] = [await idOf(), await idOf()];
        expect(await ids()).toEqual([first, second].sort());
        await idOf('named');
        expect(await ids()).toEqual([second, 'named'].sort());
        // Its id was used: it has a name from now on.
        expect(await idOf(second)).toBe(second);
        for (const id of [undefined, 'other']) {
          // The cell without an id waits as long for a place.
          const refused = await open(id, id === undefined && name === '/v1/code' ? { timeout: 1 } : {});
          const { holders } = refused.json().data;
          expect([
            refused.statusCode,
            holders.map((holder: { session_id: string }) => holder.session_id).sort(),
          ]).toEqual([429, [second, 'named'].sort()]);
        }
        expect(await ids()).toEqual([second, 'named'].sort());
        await daemon.inject({ method: 'DELETE', url: `/v1/jupyter/sessions/${second}` });
        const third = await idOf();
        expect(await ids()).toEqual([third, 'named'].sort());
      },
      PATIENCE_MS,
    );
  }

  testKernels(
    '[code.session-gives-way] the tool of MCP needs no session: it runs beside those that take all places, and ends none',
    async () => {
      await using mcp = await McpCaller.start({ SVC_KERNEL_MAX_SESSIONS: '1', SVC_PROCESS_HOST: processHost });
      const cell = { language: 'python', code: 'kept = 1', session_id: 'named' };
      expect((await mcp.daemon.post('/v2/code/execute', cell)).statusCode).toBe(200);
      const { content, isError } = await mcp.call('sandbox_execute_code', { code: '6 * 7', language: 'python' });
      expect([content, isError]).toEqual([[{ type: 'text', text: '42\n' }], undefined]);
      const after = await mcp.daemon.post('/v2/code/execute', { ...cell, code: 'kept' });
      expect(after.json().data.outputs[0].data['text/plain']).toBe('1');
    },
    PATIENCE_MS,
  );
});
