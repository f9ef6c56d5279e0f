import { closeSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hideKey } from './hidden-key.ts';

/** The key that the daemon reads, which it can do more than once. */
function handedOver({ handover }: ReturnType<typeof hideKey>): string | undefined {
  if (!handover) return undefined;
  const path = `/proc/self/fd/${handover.fd}`;
  const keys = [readFileSync(path, 'utf8'), readFileSync(path, 'utf8')];
  closeSync(handover.fd);
  expect(keys[0]).toBe(keys[1]);
  return keys[0];
}

test.each([
  [['--port', '1', '--api-key', 'flag', '--x'], {}, 'flag', ['--port', '1', '--x']],
  [['--api-key=flag=', '--x'], { SVC_API_KEY: 'variable' }, 'flag=', ['--x']],
  [['--x'], { SVC_API_KEY: 'variable', SANDBOX_API_KEY: 'alias' }, 'variable', ['--x']],
  [[], { SVC_API_KEY: '', SANDBOX_API_KEY: 'alias' }, 'alias', []],
])('[secret.child-env] the key of %j and %j leaves both', (args, env, key, left) => {
  const hidden = hideKey(args, { ...env, PATH: '/bin', SVC_API_KEY_FILE: '/of-the-user' });
  expect(hidden.args).toEqual(left);
  expect(hidden.env).toEqual({ PATH: '/bin', SVC_API_KEY_FILE: '/of-the-user' });
  expect(hidden.handover?.env).toEqual({ SVC_API_KEY_FILE: '/proc/self/fd/3' });
  expect(handedOver(hidden)).toBe(key);
});

test.each([
  [[], {}],
  [['--api-key'], { SVC_API_KEY: 'variable' }],
  [['--api-key', 'no key'], {}],
  [[], { SVC_API_KEY_FILE: '/of-the-user' }],
  [[], { SVC_API_KEY: '' }],
])('without a valid key %j and %j stay', (args, env) => {
  expect(hideKey(args, env)).toEqual({ args, env });
});
