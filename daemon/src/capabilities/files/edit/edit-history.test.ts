import { expect, test } from 'vitest';
import { EditHistory } from './edit-history.ts';

test('[limits.edit-history] the contents of 100,000 files of one character are not all kept', () => {
  const history = new EditHistory();
  for (let n = 0; n < 100_000; n += 1) history.push(`/${n}`, 'x');
  expect(history.peek('/0')).toBeUndefined();
  expect(history.peek('/99999')).toBe('x');
});
