import { describe, expect, test, vi } from 'vitest';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';

describe('the environment', () => {
  const inherited = {
    FROM_CONTAINER: 'yes',
    SVC_SECRET: 'no',
    SANDBOX_API_KEY: 'no',
    GATEWAY_PORT: '1',
    RUN_HOOK_INIT: 'no',
    npm_config_x: 'no',
    SUPERVISOR_ENABLED: 'no',
    NODE_CHANNEL_FD: '99',
    DISPLAY: ':7',
  };

  async function environmentOf(more: object = {}, session?: object): Promise<Map<string, string>> {
    for (const [name, value] of Object.entries(inherited)) vi.stubEnv(name, value);
    try {
      await using daemon = await TestApp.start({ apiKey: 'the-key' });
      const key = { 'x-api-key': 'the-key' };
      if (session) expect((await daemon.post('/v2/commands/sessions', session, key)).statusCode).toBe(200);
      const answer = await daemon.post('/v2/commands', { command: 'env -0', ...more }, key);
      const { stdout, command_id } = answer.json().data;
      const entries = String(stdout).split('\0').filter(Boolean);
      const map = new Map(
        entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
      );
      expect(map.get('SVC_COMMAND_ID')).toBe(command_id);
      return map;
    } finally {
      vi.unstubAllEnvs();
    }
  }

  test("[env.container] [env.product-removed] [env.launcher-removed] [env.display] [secret.child-env] it is the environment of the container without the product's own variables", async () => {
    const env = await environmentOf();
    expect(env.get('FROM_CONTAINER')).toBe('yes');
    expect(env.get('DISPLAY')).toBe(':7');
    const ours = [...env.keys()].filter((name) =>
      /^(SVC_|SANDBOX_API_KEY|GATEWAY_|RUN_HOOK_|npm_|SUPERVISOR_|NODE_CHANNEL)/.test(name),
    );
    expect(ours).toEqual(['SVC_COMMAND_ID']);
    expect([...env.values()].join('\n')).not.toContain('the-key');
  });

  test('[env.account] [env.command-id] it names the account, and TERM is dumb', async () => {
    const env = await environmentOf();
    const { name: username, home, shell } = identityOfCommands();
    expect(Object.fromEntries(env)).toMatchObject({
      HOME: home,
      USER: username,
      LOGNAME: username,
      SHELL: shell,
      TERM: 'dumb',
      LANG: expect.any(String),
    });
    expect(env.get('PATH')).not.toMatch(/node_modules/);
  });

  test('[env.order] the call comes over the account, but never over the mark', async () => {
    const env = await environmentOf({
      env: { TERM: 'xterm', HOME: '/h', SVC_COMMAND_ID: 'forged', SVC_OTHER: 'fine' },
    });
    expect([env.get('TERM'), env.get('HOME'), env.get('SVC_OTHER')]).toEqual(['xterm', '/h', 'fine']);
  });

  test("[env.order] the session's comes over the account's, and the call's over the session's", async () => {
    const session = { id: 's', env: { TERM: 'vt100', FROM_CONTAINER: 's', A: 's', B: 's', SVC_COMMAND_ID: 'forged' } };
    const env = await environmentOf({ session: 's', env: { B: 'call', HOME: '/call' } }, session);
    const { TERM, FROM_CONTAINER, A, B, HOME } = Object.fromEntries(env);
    expect({ TERM, FROM_CONTAINER, A, B, HOME }).toEqual({
      TERM: 'vt100',
      FROM_CONTAINER: 's',
      A: 's',
      B: 'call',
      HOME: '/call',
    });
  });
});
