import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { TestPage } from '../page.fixture.ts';
import { TestWorker } from '../worker.fixture.ts';

describe.skipIf(!has('X server') || !has('chromium'))('actions reach an application', () => {
  let worker: TestWorker;
  let target: TestPage;
  beforeAll(async () => {
    worker = await TestWorker.start('1000x700');
    target = await TestPage.open(worker.server);
  });
  afterAll(async () => {
    await target?.[Symbol.asyncDispose]();
    await worker?.[Symbol.asyncDispose]();
  });
  beforeEach(() => target.reset());

  const act = (action: object) => worker.json(200, 'POST', '/v2/computer/actions', action);
  const batch = (...actions: object[]) => worker.json(200, 'POST', '/v2/computer/actions/batch', { actions });

  test('[desktop.action] an action answers at the top level and under data', async () => {
    const answer = await act({ action_type: 'MOVE_TO', x: 10.7, y: 20.2 });
    const performed = { status: 'success', action_performed: 'MOVE_TO' };
    expect(answer).toEqual({ success: true, message: 'MOVE_TO', hint: null, data: performed, ...performed });
    expect((await worker.json(200, 'GET', '/v2/computer/cursor'))['data']).toEqual({ x: 10, y: 20 });
  });

  test('[desktop.pointer] clicks arrive with their button, place and count', async () => {
    await act({ action_type: 'CLICK', x: 100, y: 50 });
    await act({ action_type: 'CLICK', button: 'middle' });
    await act({ action_type: 'RIGHT_CLICK', x: 120, y: 60 });
    await act({ action_type: 'DOUBLE_CLICK', x: 140, y: 70 });
    await expect
      .poll(() => target.seen())
      .toEqual([
        ...['mousedown 0 100,50', 'mouseup 0 100,50', 'mousedown 1 100,50', 'mouseup 1 100,50'],
        ...['mousedown 2 120,60', 'contextmenu 2 120,60', 'mouseup 2 120,60'],
        ...['mousedown 0 140,70', 'mouseup 0 140,70', 'mousedown 0 140,70', 'mouseup 0 140,70', 'dblclick 0 140,70'],
      ]);
  });

  test('[desktop.pointer] movements by a distance stay within the screen', async () => {
    await act({ action_type: 'MOVE_TO', x: 500, y: 300 });
    await act({ action_type: 'MOVE_REL', x_offset: -20, y_offset: 30 });
    expect((await worker.json(200, 'GET', '/v2/computer/cursor'))['data']).toEqual({ x: 480, y: 330 });
    await act({ action_type: 'MOVE_REL', x_offset: -5000, y_offset: 5000 });
    expect((await worker.json(200, 'GET', '/v2/computer/cursor'))['data']).toEqual({ x: 0, y: 699 });
  });

  test('[desktop.pointer] a drag holds the left button and moves in steps', async () => {
    await batch(
      { action_type: 'MOVE_TO', x: 100, y: 100 },
      { action_type: 'DRAG_TO', x: 300, y: 200 },
      { action_type: 'DRAG_REL', x_offset: 10, y_offset: 10 },
    );
    await expect
      .poll(() => target.seen())
      .toEqual(['mousedown 0 100,100', 'mouseup 0 300,200', 'mousedown 0 300,200', 'mouseup 0 310,210']);
    expect(await target.page.evaluate('window.moves')).toBeGreaterThan(4);
  });

  test('[desktop.pointer] the wheel turns in both directions, and a button stays down between two calls', async () => {
    await act({ action_type: 'MOVE_TO', x: 300, y: 500 });
    await act({ action_type: 'SCROLL', dy: 2 });
    await act({ action_type: 'SCROLL', dx: 1, dy: -1 });
    await act({ action_type: 'MOUSE_DOWN' });
    await act({ action_type: 'MOUSE_UP' });
    await expect.poll(async () => (await target.seen()).at(-1)).toBe('mouseup 0 300,500');
    const [right, down] = await target.page.evaluate<[number, number]>('window.turned');
    expect(right).toBeGreaterThan(0);
    expect(down).toBe(right);
  });

  test('[desktop.typing] characters of the layout are keys, all others come through the clipboard', async () => {
    await act({ action_type: 'SET_CLIPBOARD', text: 'mine' });
    await act({ action_type: 'TYPING', text: 'Hi {ä} 日本 🎉\nend_' });
    await expect.poll(() => target.text()).toBe('Hi {ä} 日本 🎉\nend_');
    const keys = (await target.seen()).filter((text) => /^keydown [a-z{]$/i.test(text));
    expect(keys.slice(0, 3)).toEqual(['keydown H', 'keydown i', 'keydown {']);
    const { data } = await worker.json(200, 'GET', '/v2/computer/clipboard');
    expect(data).toEqual({ text: 'mine', truncated: false });
  });

  test('[desktop.typing] a text replaces what is selected, also through the clipboard', async () => {
    await act({ action_type: 'TYPING', text: 'before' });
    await act({ action_type: 'HOTKEY', keys: ['ctrl', 'A'] });
    await act({ action_type: 'TYPING', text: 'ü' });
    await expect.poll(() => target.text()).toBe('ü');
  });

  test('[desktop.typing] the clipboard of an application comes back after a text was pasted', async () => {
    await act({ action_type: 'TYPING', text: 'copied' });
    await act({ action_type: 'HOTKEY', keys: ['ctrl', 'a'] });
    await act({ action_type: 'HOTKEY', keys: ['ctrl', 'c'] });
    const clipboard = async () => (await worker.json(200, 'GET', '/v2/computer/clipboard'))['data'];
    await expect.poll(clipboard).toEqual({ text: 'copied', truncated: false });
    await act({ action_type: 'TYPING', text: '→' });
    expect(await clipboard()).toEqual({ text: 'copied', truncated: false });
    await act({ action_type: 'HOTKEY', keys: ['ctrl', 'v'] });
    await expect.poll(() => target.text()).toBe('→copied');
  });

  test('[desktop.typing] without the clipboard a character that no key types is refused', async () => {
    const refused = await worker.json(400, 'POST', '/v2/computer/actions', {
      action_type: 'TYPING',
      text: 'aä',
      use_clipboard: false,
    });
    expect(refused).toMatchObject({ success: false, message: expect.stringContaining('"ä"') });
    await act({ action_type: 'TYPING', text: 'Q~', use_clipboard: false });
    await expect.poll(() => target.text()).toBe('Q~');
  });

  test('[desktop.keys] names of X, short names and characters are taken', async () => {
    for (const key of ['x', 'Y', 'BackSpace', 'enter', 'KP_5', 'plus']) await act({ action_type: 'PRESS', key });
    await expect.poll(() => target.text()).toBe('x\n5+');
    await act({ action_type: 'KEY_DOWN', key: 'shift' });
    await act({ action_type: 'PRESS', key: 'a' });
    await act({ action_type: 'KEY_UP', key: 'shift' });
    await act({ action_type: 'PRESS', key: 'a' });
    await expect.poll(() => target.text()).toBe('x\n5+Aa');
  });

  test('[desktop.keys] an unknown key is 422 and names those that are close; nothing is done', async () => {
    const actions = [
      { action_type: 'PRESS', key: 'a' },
      { action_type: 'HOTKEY', keys: ['ctrl', 'Retrun'] },
    ];
    const { errors } = await worker.json(422, 'POST', '/v2/computer/actions/batch', { actions });
    expect(errors).toEqual([
      {
        location: ['body', 'actions', 1, 'keys', 1],
        message: expect.stringContaining('close are Return'),
        type: 'custom',
      },
    ]);
    expect(await target.text()).toBe('');
  });

  test('[desktop.batch] a batch ends at the action that fails, and releases what it holds', async () => {
    await act({ action_type: 'MOVE_TO', x: 50, y: 50 });
    const answer = await batch(
      { action_type: 'KEY_DOWN', key: 'shift' },
      { action_type: 'MOUSE_DOWN' },
      { action_type: 'MOVE_TO', x: 5000, y: 1 },
      { action_type: 'TYPING', text: 'never' },
    );
    expect(answer).toMatchObject({
      success: false,
      data: { performed: 2, failed_index: 2, status: 'failed', reason: 'invalid', error: expect.any(String) },
    });
    await expect.poll(() => target.seen()).toContain('keyup Shift');
    expect((await target.seen()).map((text) => text.split(' ')[0])).toContain('mouseup');
    await act({ action_type: 'PRESS', key: 'b' });
    await expect.poll(() => target.text()).toBe('b');
  });

  test('[desktop.batch] two batches at once do not mix', async () => {
    const words = (text: string) => Array.from({ length: 25 }, () => ({ action_type: 'TYPING', text }));
    await Promise.all([batch(...words('a')), batch(...words('b'))]);
    const text = `${'a'.repeat(25)}${'b'.repeat(25)}`;
    await expect.poll(async () => [...(await target.text())].sort().join('')).toBe(text);
    expect([text, `${'b'.repeat(25)}${'a'.repeat(25)}`]).toContain(await target.text());
  });

  test('[desktop.batch] 50 actions are a batch, 51 are not, and their waits are bounded', async () => {
    const moves = (count: number) => Array.from({ length: count }, (_, x) => ({ action_type: 'MOVE_TO', x, y: 1 }));
    expect(await batch(...moves(50))).toMatchObject({ data: { performed: 50, failed_index: null, error: null } });
    await worker.json(422, 'POST', '/v2/computer/actions/batch', { actions: moves(51) });
    const waits = [10, 10, 1].map((duration) => ({ action_type: 'WAIT', duration }));
    await worker.json(422, 'POST', '/v2/computer/actions/batch', { actions: waits });
    await worker.json(422, 'POST', '/v2/computer/actions', { action_type: 'WAIT', duration: 10.1 });
  });
});
