import type { ArchiveAttack } from './attack.ts';

type Row = readonly [name: string, entries: ArchiveAttack['entries'], statuses: readonly number[]];

const OUT = { type: '2', name: 'out', link: '../../..' } as const;
const through = `${'a/'.repeat(49)}a`;

const ROWS: readonly Row[] = [
  ['a name with ..', [{ name: '../x', body: 'x' }], [400]],
  ['an absolute name', [{ name: '/etc/x', body: 'x' }], [400]],
  ['a link that leaves', [OUT], [400]],
  ['a hard link that leaves', [{ type: '1', name: 'l', link: '../../etc/passwd' }], [400]],
  [
    'a name through a link',
    [
      { type: '2', name: 'l', link: '.' },
      { name: 'l/f', body: 'x' },
    ],
    [400],
  ],
  ['a link into itself', [{ type: '2', name: 'a', link: through }], [200]],
  [
    '300 links through a link into itself',
    Array.from({ length: 300 }, (_, i) => ({ type: '2', name: i === 0 ? 'a' : `l${i}`, link: through }) as const),
    [200],
  ],
  [
    'a chain of links that ends outside',
    [
      ...Array.from({ length: 300 }, (_, i) => ({ type: '2', name: `l${i}`, link: `l${i + 1}` }) as const),
      { ...OUT, name: 'l300' },
    ],
    [400],
  ],
  ['a FIFO', [{ type: '6', name: 'f' }], [200, 400]],
  ['a device', [{ type: '3', name: 'd' }], [200, 400]],
  ['a sparse file', [{ type: 'S', name: 's', body: 'x' }], [400]],
  ['a size beyond the archive', [{ name: 'f', size: 8 * 1024 ** 3 - 1 }], [400, 413, 507]],
  ['a name with a NUL', [{ name: 'a\0b', body: 'x' }], [200, 400]],
];

export const ARCHIVES: readonly ArchiveAttack[] = ROWS.map(([name, entries, statuses]) => ({
  kind: 'archive',
  name,
  entries,
  statuses,
}));
