import { expect, test } from 'vitest';
import { snapshotOf } from './cli-snapshot.ts';

const DATA = {
  snapshot: '- heading "Say ref=e9" [level=1, ref=e1]\n- button "Go" [disabled, ref=e12, url=/x]\n- text: ref=e7',
  refs: { e1: { role: 'heading', name: 'Say ref=e9' }, e12: { role: 'button', name: 'Go' } },
};

test('[browser.delegated] references of the CLI become those of the daemon; text stays as it is', () => {
  const { text, refs, named, isCut } = snapshotOf(DATA, 1000, (number) => `e${number + 100}`);
  expect(text).toBe(
    '- heading "Say ref=e9" [level=1] [ref=e101]\n- button "Go" [disabled] [ref=e112] [url=/x]\n- text: ref=e7',
  );
  expect([refs, isCut, named.get(12)]).toEqual([2, false, { role: 'button', name: 'Go' }]);
});

test('[browser.delegated] a snapshot that is too long is cut after a whole line', () => {
  const [first = ''] = DATA.snapshot.split('\n');
  const cut = snapshotOf(DATA, first.length + 6, (number) => `e${number}`);
  expect(cut).toMatchObject({ text: '- heading "Say ref=e9" [level=1] [ref=e1]', refs: 1, isCut: true });
  expect(snapshotOf({}, 1000, String)).toMatchObject({ text: '', refs: 0, isCut: false });
});
