import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { expectValid } from '../../../wire.fixture.ts';
import { BrowserBench, type TestTab } from '../chromium.fixture.ts';
import { keyNamed } from './keys.ts';

test('[browser-field.keys] names of X, short names and characters are keys', () => {
  const names =
    'Return enter BackSpace Escape Tab Delete space Page_Down Prior F5 ctrl Control_L super a A plus + KP_5 é'.split(
      ' ',
    );
  const keys = names.slice(0, -1).map((name) => keyNamed(name).key);
  expect(keys).toEqual([
    'Enter',
    'Enter',
    'Backspace',
    'Escape',
    'Tab',
    'Delete',
    ' ',
    'PageDown',
    'PageUp',
    'F5',
    'Control',
    'Control',
    'Meta',
    'a',
    'A',
    '+',
    '+',
    '5',
  ]);
  for (const name of ['é', 'nothing', '', 'F25', 'constructor'])
    expect(() => keyNamed(name)).toThrow('no key is named');
});

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await BrowserBench.start();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const PAD = `<style>body { margin: 0 } #pad { position: fixed; inset: 0 }</style><div id=pad></div><script>window.log = [];
    for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'wheel']) addEventListener(type, (event) => {
      log.push([type, event.clientX, event.clientY, event.button, event.buttons, event.detail]); if (type === 'contextmenu') event.preventDefault(); })</script>`;

  /** The events of one action. */
  async function events(tab: TestTab, ...actions: object[]): Promise<unknown> {
    await tab.value('log.length = 0');
    for (const action of actions) {
      const answer = await tab.post('actions', action);
      if (!answer.json().success) throw new Error(answer.body);
    }
    return tab.value(
      'log.map(([type, x, y, button, buttons, detail]) => [type, x, y, type === "mousemove" ? buttons : button, detail].join(" "))',
    );
  }

  test('[browser.actions] [browser-field.pointer] [browser-field.buttons] the actions of the pointer', async () => {
    await using tab = await bench.page(PAD);
    expect(await events(tab, { action_type: 'MOVE_TO', x: 50, y: 60 })).toEqual(['mousemove 50 60 0 0']);
    expect(await events(tab, { action_type: 'MOVE_REL', x_offset: -10, y_offset: 5 })).toEqual(['mousemove 40 65 0 0']);
    expect(await events(tab, { action_type: 'CLICK' })).toEqual([
      'mousedown 40 65 0 1',
      'mouseup 40 65 0 1',
      'click 40 65 0 1',
    ]);
    expect(await events(tab, { action_type: 'CLICK', x: 20, y: 21, button: 'middle', num_clicks: 1 })).toEqual(
      expect.arrayContaining(['mousedown 20 21 1 1']),
    );
    expect(await events(tab, { action_type: 'CLICK', x: 100, y: 100, num_clicks: 3 })).toEqual(
      expect.arrayContaining(['click 100 100 0 3', 'dblclick 100 100 0 2']),
    );
    expect(await events(tab, { action_type: 'DOUBLE_CLICK', x: 200, y: 100 })).toEqual(
      expect.arrayContaining(['dblclick 200 100 0 2']),
    );
    expect(await events(tab, { action_type: 'RIGHT_CLICK', x: 30, y: 30 })).toEqual(
      expect.arrayContaining(['contextmenu 30 30 2 0']),
    );
    const held = await events(
      tab,
      { action_type: 'MOVE_TO', x: 10, y: 10 },
      { action_type: 'MOUSE_DOWN' },
      { action_type: 'MOVE_TO', x: 90, y: 10 },
      { action_type: 'MOUSE_UP' },
    );
    expect(held).toEqual([
      'mousemove 10 10 0 0',
      'mousedown 10 10 0 1',
      'mousemove 90 10 1 0',
      'mouseup 90 10 0 1',
      'click 90 10 0 1',
    ]);
    const dragged = (await events(
      tab,
      { action_type: 'MOVE_TO', x: 10, y: 10 },
      { action_type: 'DRAG_TO', x: 90, y: 50 },
    )) as string[];
    expect([dragged[1], dragged.at(-2)]).toEqual(['mousedown 10 10 0 1', 'mouseup 90 50 0 1']);
    const relative = (await events(tab, { action_type: 'DRAG_REL', x_offset: 10, y_offset: -10 })) as string[];
    expect([relative[0], relative.at(-2)]).toEqual(['mousedown 90 50 0 1', 'mouseup 100 40 0 1']);
  });

  test('[browser.actions] what the page lets be dragged is dropped', async () => {
    await using tab =
      await bench.page(`<style>body { margin: 0 } div { position: fixed; top: 0; width: 80px; height: 80px }</style>
      <div id=a draggable=true style="left:0" ondragstart="event.dataTransfer.setData('text/plain', 'load')">a</div>
      <div id=b style="left:200px" ondragover="event.preventDefault()" ondrop="this.textContent = event.dataTransfer.getData('text/plain')">b</div>`);
    await tab.post('actions', { action_type: 'MOVE_TO', x: 40, y: 40 });
    expect((await tab.post('actions', { action_type: 'DRAG_TO', x: 240, y: 40 })).json().success).toBe(true);
    expect(await tab.value('b.textContent')).toBe('load');
  });

  test('[browser-field.scroll] positive is right and down; a hundred notches are the most', async () => {
    await using tab = await bench.page('<body style="margin:0"><div style="width:90000px;height:90000px"></div>');
    const scrolled = async (dx: number, dy: number) => {
      await tab.value('scrollTo({ left: 0, top: 0, behavior: "instant" })');
      await tab.post('actions', { action_type: 'MOVE_TO', x: 50, y: 50 });
      await tab.post('actions', { action_type: 'SCROLL', dx, dy });
      await expect.poll(() => tab.value('scrollX + scrollY')).toBeGreaterThan(0);
      return tab.value(
        'new Promise((r) => { let last = -1; const look = () => { const now = scrollX + "," + scrollY; if (now === last) r(now); else { last = now; setTimeout(look, 150); } }; look(); })',
      );
    };
    expect(await scrolled(0, 2)).toBe('0,240');
    expect(await scrolled(1, 0)).toBe('120,0');
    expect(await scrolled(0, 100_000)).toBe('0,12000');
  });

  test('[browser.actions] [browser.typing] [browser-field.typing] [browser-field.hotkey] [browser-field.keys] text, keys and hotkeys', async () => {
    await using tab = await bench.page(`<input id=i><textarea id=t></textarea><script>window.log = [];
      for (const type of ['keydown', 'keyup']) addEventListener(type, (event) => log.push(type + ' ' + event.key + ' ' + event.code + (event.ctrlKey ? ' ctrl' : '')))</script>`);
    const act = async (action: object) => (await tab.post('actions', action)).json();
    await tab.post('click', { selector: '#i' });
    await act({ action_type: 'TYPING', text: 'aB1! é漢😀' });
    expect(await tab.value('i.value')).toBe('aB1! é漢😀');
    expect((await tab.value('log')) as string[]).toEqual(
      expect.arrayContaining(['keydown B KeyB', 'keydown ! Digit1', 'keydown   Space']),
    );
    await act({ action_type: 'HOTKEY', keys: ['ctrl', 'a'] });
    await act({ action_type: 'PRESS', key: 'BackSpace' });
    expect(await tab.value('[i.value, log.slice(-6)]')).toEqual([
      '',
      [
        'keydown Control ControlLeft ctrl',
        'keydown a KeyA ctrl',
        'keyup a KeyA ctrl',
        'keyup Control ControlLeft',
        'keydown Backspace Backspace',
        'keyup Backspace Backspace',
      ],
    ]);
    await act({ action_type: 'KEY_DOWN', key: 'Shift_L' });
    await act({ action_type: 'PRESS', key: 'Tab' });
    await act({ action_type: 'KEY_UP', key: 'shift' });
    expect(await tab.value('document.activeElement === document.body || document.activeElement.id')).not.toBe('t');
    await tab.post('click', { selector: '#t' });
    const long = `${'line é\n'.repeat(600)}end`;
    await act({ action_type: 'TYPING', text: long });
    expect(await tab.value('t.value')).toBe(long);
    await tab.value('t.value = ""');
    await act({ action_type: 'KEY_DOWN', key: 'shift' });
    for (const key of ['a', '1', 'B']) await act({ action_type: 'PRESS', key });
    await act({ action_type: 'KEY_UP', key: 'shift' });
    await act({ action_type: 'PRESS', key: 'a' });
    expect(await tab.value('t.value')).toBe('A!Ba');
    await tab.value('t.value = ""');
    await act({ action_type: 'TYPING', text: 'a\nb', use_clipboard: false });
    expect(await tab.value('t.value')).toBe('a\nb');
    const refused = await tab.post('actions', { action_type: 'TYPING', text: 'aé', use_clipboard: false });
    expect([refused.statusCode, refused.json().message]).toEqual([400, 'text no key types "é"']);
    expect(await tab.value('t.value')).toBe('a\nb');
  });

  test('[browser-field.wait] [browser.actions-refused] [browser-field.answer] answers and refusals', async () => {
    await using tab = await bench.page(PAD);
    const begun = performance.now();
    const waited = (
      await bench.daemon.post('/v1/browser/actions?include_screenshot=true', { action_type: 'WAIT', duration: 0.2 })
    ).json();
    expect(performance.now() - begun).toBeGreaterThan(195);
    expect(waited).toMatchObject({
      success: true,
      status: 'success',
      action_performed: 'WAIT',
      data: { status: 'success', action_performed: 'WAIT' },
    });
    expect(Buffer.from(waited.screenshot, 'base64').toString('latin1', 1, 4)).toBe('PNG');
    expectValid('ActionResponse', waited);
    for (const action of [
      { action_type: 'WAIT', duration: 0 },
      { action_type: 'WAIT', duration: 11 },
      { action_type: 'MOVE_TO', x: 1 },
      { action_type: 'NONE' },
      {},
      { action_type: 'TYPING', text: '' },
      { action_type: 'CLICK', num_clicks: 4 },
    ]) {
      expect([action, (await tab.post('actions', action)).statusCode]).toEqual([action, 422]);
    }
    expect((await tab.post('actions', { action_type: 'PRESS', key: 'nokey' })).statusCode).toBe(400);
    expect((await tab.post('actions', { action_type: 'HOTKEY', keys: ['ctrl', 'nokey'] })).statusCode).toBe(400);
  });

  test('[browser.coordinates] what the picture shows is clicked at its place in the picture', async () => {
    await using tab = await bench.page(`<body style="margin:0;background:white"><div style="height:5000px"></div>
      <button id=b onclick="document.title = 'hit'" style="position:fixed;left:123px;top:217px;width:40px;height:20px;border:0;background:rgb(255,0,0)"></button>`);
    await tab.value('scrollTo(0, 700)');
    const png = (await bench.get(`screenshot?tab_id=${tab.id}`)).rawPayload;
    await using reader = await bench.page('<canvas id=c></canvas>', '/reader');
    const at =
      await reader.value(`(async () => { const image = new Image(); image.src = 'data:image/png;base64,${png.toString('base64')}';
      await image.decode(); c.width = image.width; c.height = image.height; const pen = c.getContext('2d'); pen.drawImage(image, 0, 0);
      const { data } = pen.getImageData(0, 0, c.width, c.height); const red = [];
      for (let i = 0; i < data.length; i += 4) if (data[i] > 200 && data[i + 1] < 50 && data[i + 2] < 50) red.push(i / 4);
      const middle = red[Math.floor(red.length / 2)]; return [red.length, middle % c.width, Math.floor(middle / c.width)]; })()`);
    const [count, x, y] = at as [number, number, number];
    expect(count).toBeGreaterThan(600);
    await tab.post('actions', { action_type: 'CLICK', x, y });
    expect(await tab.value('document.title')).toBe('hit');
  });
});
