import { expect, test } from 'vitest';
import { arranged, type Column } from './order.ts';
import { ancestorsOf, type Entry, within } from './place.ts';

function entry(name: string, more: Partial<Entry> = {}): Entry {
  const base = {
    is_directory: false,
    is_symlink: false,
    is_hidden: false,
    size: 0,
    modified_time: '',
    permissions: '',
  };
  return { name, path: `/${name}`, ...base, ...more };
}

const ALL = [
  entry('.h', { is_hidden: true, size: 9, modified_time: '2026-01-03' }),
  entry('a', { size: 5, modified_time: '2026-01-02' }),
  entry('d', { is_directory: true, modified_time: '2026-01-04' }),
  entry('z', { size: 1, modified_time: '2026-01-01' }),
];

test.each([
  ['name', false, 'd .h a z'],
  ['name', true, 'd z a .h'],
  ['size', false, 'd z a .h'],
  ['modified_time', true, 'd .h a z'],
] as const)('[app.files] by %s, descending %s: %s', (column: Column, isDescending, names) => {
  const shown = arranged(ALL, { column, isDescending }, { filter: '', showsHidden: true });
  expect(shown.map(({ name }) => name).join(' ')).toBe(names);
});

test('[app.files] a filter ignores case, hidden files can be left out', () => {
  const order = { column: 'name', isDescending: false } as const;
  expect(arranged(ALL, order, { filter: 'A', showsHidden: true }).map(({ name }) => name)).toEqual(['a']);
  expect(arranged([entry('README')], order, { filter: 'read', showsHidden: true })).toHaveLength(1);
  expect(arranged(ALL, order, { filter: '', showsHidden: false })).toHaveLength(3);
});

test('[app.files] a place in a directory keeps the bytes of a name that is not UTF-8', () => {
  expect(within({ path: '/' }, 'x')).toEqual({ path: '/x' });
  const { path_b64: base64 = '' } = within({ path: '/\ufffd', path_b64: btoa('/\xff') }, 'ü');
  expect(Buffer.from(base64, 'base64').toString('latin1')).toBe('/\xff/Ã¼');
  expect(ancestorsOf('/a/b').map(({ path }) => path)).toEqual(['/', '/a', '/a/b']);
});
