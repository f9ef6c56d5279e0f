import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { badPaths } from '../bad-paths.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';

/** A request of every route that takes a path. */
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

function post(route: string, body: (path: string) => object): (path: string) => InjectOptions {
  return (path) => ({ method: 'POST', url: `/v2/fs/${route}`, payload: body(path) });
}

describe('[fs.paths] an invalid path is refused as invalid_path', () => {
  test.for(Object.entries(ROUTES))('by %s', async ([, ask], { daemon, dir }) => {
    symlinkSync('loop', join(dir, 'loop'));
    for (const [kind, path] of badPaths(join(dir, 'loop'))) {
      const answer = await daemon.inject(ask(path));
      expect([kind, answer.statusCode, answer.json().data?.error_type]).toEqual([kind, 400, 'invalid_path']);
    }
  });
});
