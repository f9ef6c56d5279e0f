import { MEMORY_SETTINGS } from '@sandbox/program/memory/memory-settings.ts';
import { expect, test } from 'vitest';
import { childEnvironment, type EnvironmentSpec } from './environment.ts';

const identity = { name: 'ann', uid: 1, gid: 1, groups: [1], home: '/home/ann', shell: '/bin/zsh' };

function environment(spec: Partial<EnvironmentSpec>): Record<string, string> {
  return childEnvironment({ inherited: {}, identity, commandId: 'c1', ownUid: identity.uid, ...spec });
}

test('an empty environment becomes the account’s', () => {
  expect(environment({})).toEqual({
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/home/ann',
    USER: 'ann',
    LOGNAME: 'ann',
    SHELL: '/bin/zsh',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHLVL: '1',
    SVC_COMMAND_ID: 'c1',
  });
});

test('what the container was started with reaches the child, less the product’s own', () => {
  const kept = {
    TOKEN: 't',
    DISPLAY: ':1',
    LANG: 'de_DE.UTF-8',
    NODE_ENV: 'test',
    EDITOR: 'vi',
    NODE: 'x',
    COLOR: '1',
    GLIBC_TUNABLES: 'glibc.malloc.perturb=1',
  };
  const dropped = {
    SVC_API_KEY: 'secret',
    SVC_ANYTHING: 'x',
    SANDBOX_API_KEY: 'secret',
    GATEWAY_PORT: '1',
    RUN_HOOK_DIR: 'x',
    JWT_PUBLIC_KEY: 'x',
    SUPERVISOR_ENABLED: '1',
    NODE_COMPILE_CACHE: 'x',
    NODE_CHANNEL_FD: '3',
    NODE_CHANNEL_SERIALIZATION_MODE: 'json',
    NODE_UNIQUE_ID: '1',
    PWD: '/daemon',
    OLDPWD: '/',
    _: 'node',
    HOME: '/root',
    SHLVL: '7',
  };
  const env = environment({ inherited: { ...kept, ...dropped } });
  expect(env).toMatchObject(kept);
  expect(env).toMatchObject({ HOME: '/home/ann', SHLVL: '1' });
  const ownNames = ['HOME', 'SHLVL'];
  expect(Object.keys(dropped).filter((name) => name in env && !ownNames.includes(name))).toEqual([]);
  expect(Object.values(env)).not.toContain('secret');
});

test('the memory settings of the service are not those of its children', () => {
  expect(environment({ inherited: MEMORY_SETTINGS })).not.toHaveProperty('GLIBC_TUNABLES');
});

test('[env.own-programs] another account than the daemon’s finds what it installed for itself first, and once', () => {
  const inherited = { PATH: '/usr/bin:/bin' };
  expect(environment({ inherited, ownUid: 0 })['PATH']).toBe('/home/ann/.local/bin:/usr/bin:/bin');
  expect(environment({ inherited })['PATH']).toBe('/usr/bin:/bin');
  const twice = { PATH: '/home/ann/.local/bin:/usr/bin' };
  expect(environment({ inherited: twice, ownUid: 0 })['PATH']).toBe('/home/ann/.local/bin:/usr/bin');
  expect(environment({ inherited, ownUid: 0, given: [{ PATH: '/x' }] })['PATH']).toBe('/x');
});

test('what npm run adds is taken away again', () => {
  const npm = {
    npm_command: 'run',
    npm_config_cache: 'x',
    INIT_CWD: '/app',
    NODE: '/usr/bin/node',
    COLOR: '0',
    PATH: '/app/node_modules/.bin:/node_modules/.bin:/npm/run-script/lib/node-gyp-bin:./node_modules/.bin:/usr/bin:/bin',
  };
  const env = environment({ inherited: { ...npm, EDITOR: 'vi' } });
  expect(env['PATH']).toBe('./node_modules/.bin:/usr/bin:/bin');
  for (const name of ['npm_command', 'npm_config_cache', 'INIT_CWD', 'NODE', 'COLOR', 'EDITOR']) {
    expect(env).not.toHaveProperty(name);
  }
  expect(environment({ inherited: { ...npm, EDITOR: 'emacs' } })['EDITOR']).toBe('emacs');
  expect(environment({ inherited: { ...npm, EDITOR: 'nano', npm_config_editor: 'nano' } })).not.toHaveProperty(
    'EDITOR',
  );
});

test('without npm the PATH is left as it is', () => {
  const path = '/app/node_modules/.bin:/usr/bin';
  expect(environment({ inherited: { PATH: path } })['PATH']).toBe(path);
});

test('the caller’s variables win, the later over the earlier, but the mark is ours', () => {
  const env = environment({
    inherited: { A: '0', B: '0' },
    given: [
      { A: '1', HOME: '/x', PATH: '/p', SVC_COMMAND_ID: 'forged', SVC_OWN: 'caller’s' },
      { A: '2', C: undefined },
    ],
  });
  expect(env).toMatchObject({ A: '2', B: '0', HOME: '/x', PATH: '/p', SVC_COMMAND_ID: 'c1', SVC_OWN: 'caller’s' });
  expect(env).not.toHaveProperty('C');
});

test.each([{ '': 'x' }, { 'A=B': 'x' }, { A: 'x\0y' }, { 'A\0': 'x' }])('%j is no environment', (variables) => {
  expect(() => environment({ given: [variables] })).toThrow(expect.objectContaining({ kind: 'invalid' }));
});
