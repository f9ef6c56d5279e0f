import { expect, test } from 'vitest';
import { tableIn } from './html-table.ts';

test('the rows of a data frame are text, with their headings', () => {
  const html = `<div><style scoped>td { color: red }</style><table border="1" class="dataframe">
<thead><tr style="x"><th></th><th>na&lt;me</th></tr></thead>
<tbody><tr><th>0</th><td>a &amp; <b>b</b> &#8364;&#x41;</td></tr></tbody></table></div>`;
  expect(tableIn(html)).toEqual([
    [
      { text: '', isHead: true },
      { text: 'na<me', isHead: true },
    ],
    [
      { text: '0', isHead: true },
      { text: 'a & b €A', isHead: false },
    ],
  ]);
});

test('HTML without a table, and a table without rows, are none', () => {
  expect(tableIn('<p>none</p>')).toBe(undefined);
  expect(tableIn('<table></table>')).toBe(undefined);
});

test('of a table at most 500 rows are read, and an entity that is none stays', () => {
  expect(tableIn(`<table>${'<tr><td>x'.repeat(2000)}`)).toHaveLength(500);
  expect(tableIn('<table><tr><td>&nope; &#9999999;')?.[0]?.[0]?.text).toBe('&nope; &#9999999;');
});
