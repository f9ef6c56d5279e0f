import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { Homes } from './account.fixture.ts';

const CALLS = 150;
const SECRET = 'content of another directory';
/** What only the directory outside has: the content and the size of its file, and a name. */
const LEAK = new RegExp(`content of another|setuid|"size":${SECRET.length}\\b`);
const INSERT = { command: 'insert', insert_line: 0, new_str: 'x' };
const HEADERS = { 'x-api-key': 'key-of-the-files' };

interface Place {
  readonly directory: string;
  /** Where the key may write beside it. */
  readonly aside: string;
  readonly count: number;
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly query?: Record<string, string>;
  readonly payload?: object | string;
}

type Call = (place: Place) => Request;

const post =
  (url: string, body: (place: Place) => object): Call =>
  (place) => ({ method: 'POST', url, payload: body(place) });
const get =
  (url: string, name = 'secret'): Call =>
  ({ directory }) => ({ url, query: { path: join(directory, name) } });
const secretOf = ({ directory }: Place): string => join(directory, 'secret');

/** Each names something below a directory that gives way to a link out of the scope of the key, again and again. */
const BELOW: readonly (readonly [string, Call])[] = [
  ['read', get('/v2/fs/read')],
  ['read of v1', post('/v1/file/read', (place) => ({ file: secretOf(place) }))],
  ['stat', get('/v2/fs/stat', 'outside-only')],
  ['list', get('/v2/fs/list', '')],
  ['list of v1', post('/v1/file/list', ({ directory }) => ({ path: directory, include_size: true }))],
  ['view', post('/v1/file/str_replace_editor', (place) => ({ command: 'view', path: secretOf(place) }))],
  [
    'view of a directory',
    post('/v1/file/str_replace_editor', ({ directory }) => ({ command: 'view', path: directory })),
  ],
  ['download', get('/v2/fs/download')],
  ['write', post('/v2/fs/write', ({ directory }) => ({ path: join(directory, 'kept'), content: 'new' }))],
  ['write, new', post('/v2/fs/write', ({ directory, count }) => ({ path: join(directory, `${count}`), content: 'x' }))],
  ['atomic', post('/v2/fs/write', (place) => ({ path: secretOf(place), content: 'new', atomic: true }))],
  ['edit', post('/v2/fs/edit', ({ directory }) => ({ path: join(directory, 'kept'), ...INSERT }))],
  [
    'mkdir',
    post('/v2/fs/mkdir', ({ directory, count }) => ({ path: join(directory, `new-${count}/b`), parents: true })),
  ],
  ['delete', post('/v2/fs/delete', ({ directory }) => ({ path: join(directory, 'tree'), recursive: true }))],
  [
    'copy out',
    post('/v2/fs/copy', (place) => ({ source: secretOf(place), destination: `${place.aside}-${place.count}` })),
  ],
  [
    'copy of a tree',
    post('/v2/fs/copy', ({ directory, aside, count }) => ({
      source: join(directory, 'tree'),
      destination: `${aside}-${count}`,
    })),
  ],
  ['copy in', post('/v2/fs/copy', (place) => ({ source: place.aside, destination: secretOf(place), overwrite: true }))],
  [
    'move out',
    post('/v2/fs/move', (place) => ({ source: secretOf(place), destination: place.aside, overwrite: true })),
  ],
  [
    'upload',
    ({ directory, count }) => ({
      method: 'PUT',
      url: '/v2/fs/upload',
      query: { path: join(directory, `u-${count}`) },
      payload: 'x',
    }),
  ],
];

describe.runIf(process.getuid?.() === 0)(
  'a directory that an account exchanges for a link out of a key’s scope',
  () => {
    test.each(BELOW)('[keys.scope-race] %s reaches nothing outside', async (_name, call) => {
      // Links of root are followed: nothing but the scope of the key stands in the way.
      await using homes = new Homes('root');
      const base = realpathSync(homes.base);
      writeFileSync(join(homes.outside, 'secret'), SECRET);
      writeFileSync(join(homes.outside, 'outside-only'), SECRET);
      writeFileSync(join(homes.outside, 'tree/secret'), SECRET);
      const keys = join(homes.base, 'keys');
      const scopes = [`files:${base}/home`];
      writeFileSync(keys, JSON.stringify({ name: 'agent', key: HEADERS['x-api-key'], scopes }));
      await using daemon = await TestApp.start({ accessKeysFile: keys });
      const directory = join(base, 'home', homes.directory('d').slice(homes.home.length + 1));
      mkdirSync(join(directory, 'tree'));
      for (const name of ['kept', 'secret']) writeFileSync(join(directory, name), 'own');
      const aside = join(base, 'home/mine');
      writeFileSync(aside, 'own');
      const before = homes.state();
      await homes.swap('directory');
      for (let count = 0; count < CALLS; count += 1) {
        const { method = 'GET', ...request } = call({ directory, aside, count });
        const { body, statusCode } = await daemon.inject({ method, ...request, headers: HEADERS });
        expect(statusCode, body).not.toBe(500);
        expect(body).not.toMatch(LEAK);
      }
      await homes.rest();
      expect(homes.state()).toEqual(before);
      expect(homes.contents()).not.toContain(SECRET);
    });
  },
);
