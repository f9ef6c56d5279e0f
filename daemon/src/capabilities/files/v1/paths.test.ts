import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { badPaths } from '../bad-paths.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';

/** Paths that only the routes of `/v1` refuse, with their kind. */
const SHELL_PATHS = [
  ['relative', 'a/b'],
  ['with .. and relative', '../../etc/passwd'],
  ['of a home', '~/x'],
] as const;

/** A body of every route of 1.x that takes a path. */
const BODIES: Readonly<Record<string, (path: string) => object>> = {
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

describe('[fs.paths] an invalid path is refused as invalid_path with status 200', () => {
  test.for(Object.entries(BODIES))('by %s', async ([route, body], { daemon, dir }) => {
    symlinkSync('loop', join(dir, 'loop'));
    for (const [kind, path] of [...SHELL_PATHS, ...badPaths(join(dir, 'loop'))]) {
      const answer = await daemon.post(`/v1/file/${route}`, body(path));
      const { success, data } = answer.json();
      expect([kind, answer.statusCode, success, data?.error_type]).toEqual([kind, 200, false, 'invalid_path']);
    }
  });
});
