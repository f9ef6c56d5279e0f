import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { describe, expect, test } from './files.fixture.ts';

/** Every route that takes a path, and what it needs beside it. */
const ROUTES: Readonly<Record<string, (path: string) => InjectOptions>> = {
  read: (path) => ({ url: '/v2/fs/read', query: { path } }),
  stat: (path) => ({ url: '/v2/fs/stat', query: { path } }),
  list: (path) => ({ url: '/v2/fs/list', query: { path } }),
  search: (path) => ({ url: '/v2/fs/search', query: { path, pattern: '*' } }),
  download: (path) => ({ url: '/v2/fs/download', query: { path } }),
  'tree export': (path) => ({ url: '/v2/fs/tree', query: { path } }),
  'tree import': (path) => ({ method: 'PUT', url: '/v2/fs/tree', query: { path }, payload: Buffer.alloc(1024) }),
  'upload of a body': (path) => ({ method: 'PUT', url: '/v2/fs/upload', query: { path }, payload: 'x' }),
  'upload of a form': (path) => ({
    method: 'POST',
    url: '/v2/fs/upload',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    payload: [
      '--b\r\ncontent-disposition: form-data; name="path"\r\n\r\n',
      `${path}\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--b--\r\n`,
    ].join(''),
  }),
  write: post('write', (path) => ({ path, content: 'x' })),
  'atomic write': post('write', (path) => ({ path, content: 'x', atomic: true })),
  edit: post('edit', (path) => ({ path, command: 'str_replace', old_str: 'a', new_str: 'b' })),
  grep: post('grep', (path) => ({ path, pattern: 'x' })),
  mkdir: post('mkdir', (path) => ({ path, parents: true })),
  delete: post('delete', (path) => ({ path })),
  'copy from': post('copy', (source) => ({ source, destination: '/nowhere/x' })),
  'copy to': post('copy', (destination) => ({ source: '/etc/passwd', destination })),
  'move from': post('move', (source) => ({ source, destination: '/nowhere/x' })),
  watch: (path) => ({ method: 'POST', url: '/v2/watch', payload: { path } }),
};

const V1_BODIES: Readonly<Record<string, (path: string) => object>> = {
  read: (file) => ({ file }),
  write: (file) => ({ file, content: 'x' }),
  replace: (file) => ({ file, old_str: 'a', new_str: 'b' }),
  search: (file) => ({ file, regex: 'x' }),
  find: (path) => ({ path, glob: '*' }),
  glob: (path) => ({ path, pattern: '*' }),
  grep: (path) => ({ path, pattern: 'x' }),
  list: (path) => ({ path }),
  str_replace_editor: (path) => ({ path, command: 'view' }),
  stat: (path) => ({ path }),
  mkdir: (path) => ({ path, parents: true }),
  copy: (source) => ({ source, destination: '/nowhere/x' }),
  move: (source) => ({ source, destination: '/nowhere/x' }),
  delete: (path) => ({ path }),
  watch: (path) => ({ path }),
};

function post(route: string, body: (path: string) => object): (path: string) => InjectOptions {
  return (path) => ({ method: 'POST', url: `/v2/fs/${route}`, payload: body(path) });
}

/** Paths that no route takes; `loop` is a link to itself. */
function badPaths(loop: string): readonly (readonly [string, string])[] {
  return [
    ['relative', 'a/b'],
    ['with .. and relative', '../../etc/passwd'],
    ['of a home', '~/x'],
    ['empty', ''],
    ['with NUL', '/tmp/a\0b'],
    ['of 5,000 bytes', `/${'x/'.repeat(2500)}y`],
    ['of a name of 300 bytes', `/tmp/${'x'.repeat(300)}/y`],
    ['through a loop of links', `${loop}/x`],
  ];
}

describe('[fs.paths] a path that cannot be is refused by what is wrong with it', () => {
  test.for(Object.entries(ROUTES))('by %s', async ([, ask], { daemon, dir }) => {
    symlinkSync('loop', join(dir, 'loop'));
    for (const [kind, path] of badPaths(join(dir, 'loop'))) {
      const answer = await daemon.inject(ask(path));
      expect([kind, answer.statusCode, answer.json().data?.error_type]).toEqual([kind, 400, 'invalid_path']);
    }
  });

  test.for(Object.entries(V1_BODIES))('by %s of 1.x, with 200', async ([route, body], { daemon, dir }) => {
    symlinkSync('loop', join(dir, 'loop'));
    for (const [kind, path] of badPaths(join(dir, 'loop'))) {
      const answer = await daemon.post(`/v1/file/${route}`, body(path));
      const { success, data } = answer.json();
      expect([kind, answer.statusCode, success, data?.error_type]).toEqual([kind, 200, false, 'invalid_path']);
    }
  });
});
