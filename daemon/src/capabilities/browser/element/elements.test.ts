import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { BrowserBench } from '../chromium.fixture.ts';

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await BrowserBench.start();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test('[browser.click] real events by ref, selector and point; button and click_count; below the fold', async () => {
    await using tab = await bench.page(`<div style="height:3000px"></div><button id=b>go</button><script>
      window.log = []; for (const type of ['click', 'dblclick', 'contextmenu', 'auxclick'])
        b.addEventListener(type, (event) => { event.preventDefault(); log.push(type + event.button + event.detail + event.isTrusted); })</script>`);
    const ref = await tab.ref('"go"');
    const clicked = (await tab.post('click', { ref })).json();
    expect(clicked).toMatchObject({ success: true, data: { tab_id: tab.id, element: '<button id="b"> "go"' } });
    await tab.post('click', { selector: '#b', click_count: 2 });
    await tab.post('click', { selector: '#b', button: 'right' });
    await tab.post('click', { selector: '#b', button: 'middle' });
    await tab.post('click', { x: clicked.data.x, y: clicked.data.y });
    expect(await tab.value('log')).toEqual([
      'click01true',
      'click01true',
      'click02true',
      'dblclick02true',
      expect.stringMatching(/^contextmenu2\dtrue$/),
      'auxclick21true',
      'auxclick11true',
      'click01true',
    ]);
    expect((await tab.post('click', { selector: '#none' })).statusCode).toBe(404);
    const invalid = await tab.post('click', { selector: 'a[' });
    expect([invalid.statusCode, invalid.json().message]).toEqual([
      400,
      expect.stringContaining("'a[' is not a valid selector"),
    ]);
    for (const body of [{}, { ref, selector: '#b' }, { x: 1 }, { x: 1, y: 1, ref }]) {
      expect((await tab.post('click', body)).statusCode).toBe(400);
    }
  });

  test('[browser.actionable] what is wrong with an element is named; it is clicked when that has passed', async () => {
    await using tab = await bench.page(`<style>#over { position: fixed; inset: 0 }</style>
      <button id=covered onclick="window.hits = (window.hits ?? 0) + 1">c</button><button id=disabled disabled>d</button><button id=hidden style="visibility:hidden">h</button>
      <button id=moving style="position:fixed; left:0; bottom:0">m</button>`);
    const refused = async (selector: string) => {
      const answer = await tab.post('click', { selector, timeout: 0.3 });
      return [answer.statusCode, answer.json().message, answer.json().data?.reason];
    };
    expect(await refused('#disabled')).toEqual([503, '<button id="disabled"> "d" is disabled', 'disabled']);
    expect(await refused('#hidden')).toEqual([503, expect.stringContaining('is not visible'), 'not visible']);
    await tab.value(`moving.animate([{ left: '0px' }, { left: '500px' }], { duration: 2000, iterations: 100 }), 0`);
    expect(await refused('#moving')).toEqual([503, expect.stringMatching(/is (?:moving|covered)/), expect.any(String)]);
    await tab.value(`document.body.append(Object.assign(document.createElement('div'), { id: 'over' })), 0`);
    expect(await refused('#covered')).toEqual([
      503,
      '<button id="covered"> "c" is covered by <div id="over">',
      'covered',
    ]);
    expect(await tab.value('window.hits')).toBe(null);
    await tab.value('setTimeout(() => over.remove(), 300)');
    expect((await tab.post('click', { selector: '#covered' })).json().success).toBe(true);
    expect(await tab.value('hits')).toBe(1);
    await tab.post('click', { selector: '#disabled', timeout: 0 });
  });

  test('[browser.fill] text, contenteditable, select, checkbox, radio and date by events; the rest says why', async () => {
    await using tab =
      await bench.page(`<form><input id=t value=old><textarea id=a></textarea><div id=e contenteditable>old <b>text</b></div>
      <select id=s><option value=1>One<option value=2>Two<option disabled>Three</select><select id=m multiple><option>x<option>y<option>z</select>
      <input type=checkbox id=c><input type=radio id=r name=r><input type=date id=d><input type=range id=g><label id=l>Label <input id=i></label>
      <input type=file id=f><button id=b type=button>b</button><input id=o readonly></form><script>window.log = [];
      for (const type of ['beforeinput', 'input', 'change', 'click']) addEventListener(type, (event) => log.push(event.target.id + ' ' + type + ' ' + event.isTrusted), true)</script>`);
    const fill = async (selector: string, value: unknown) => {
      const answer = (await tab.post('fill', { selector, value, timeout: 2 })).json();
      return answer.success ? answer.data.value : answer.message;
    };
    expect(await fill('#t', 'new é 漢 😀')).toBe('new é 漢 😀');
    expect(await tab.value('log')).toEqual(expect.arrayContaining(['t beforeinput true', 't input true']));
    expect(await fill('#t', '')).toBe('');
    expect(await fill('#a', 'one\ntwo')).toBe('one\ntwo');
    expect(await fill('#e', 'new')).toBe('new');
    expect(await fill('#s', 'Two')).toBe('2');
    expect(await fill('#s', '1')).toBe('1');
    expect(await fill('#m', ['x', 'z'])).toBe('x, z');
    expect(await fill('#c', true)).toBe('true');
    expect(await fill('#c', 'true')).toBe('true');
    expect(await fill('#c', false)).toBe('false');
    expect(await fill('#r', true)).toBe('true');
    expect(await fill('#d', '2026-02-03')).toBe('2026-02-03');
    expect(await fill('#g', 70)).toBe('70');
    expect(await fill('#l', 'by label')).toBe('by label');
    expect(await tab.value('log')).toEqual(
      expect.arrayContaining(['s change false', 'd change false', 'c click true']),
    );
    expect(await fill('#s', 'Four')).toContain('"Four"');
    expect(await fill('#s', 'Three')).toContain('disabled');
    expect(await fill('#d', '3.2.2026')).toContain('is not a date');
    expect(await fill('#c', 'maybe')).toContain('true or false');
    expect(await fill('#f', 'x')).toContain('takes files');
    expect(await fill('#b', 'x')).toContain('takes no text');
    expect(await fill('#o', 'x')).toContain('read-only');
    expect(await tab.value('d.value + s.value')).toBe('2026-02-031');
  });

  test('[browser.upload] a file field, a hidden one behind a button, and what cannot be given', async () => {
    await using directory = await tempDir();
    const [one, two] = [join(directory.path, 'one.txt'), join(directory.path, 'two.txt')];
    await writeFile(one, 'eins');
    await writeFile(two, 'zwei!');
    await using tab =
      await bench.page(`<input type=file id=f><input type=file multiple hidden id=h onchange="document.title = h.files.length">
      <button id=b onclick="h.click()">choose</button><button id=n>nothing</button>`);
    const upload = async (body: object) => (await tab.post('upload', { timeout: 5, ...body })).json();
    expect(await upload({ selector: '#f', paths: [one] })).toMatchObject({
      success: true,
      data: { files: [{ name: 'one.txt', size: 4 }] },
    });
    expect(await upload({ ref: await tab.ref('"choose"'), paths: [one, two] })).toMatchObject({ success: true });
    expect(await tab.value('[document.title, h.files[1].name]')).toEqual(['2', 'two.txt']);
    expect(await upload({ selector: '#f', paths: [one, two] })).toMatchObject({ success: false, data: null });
    expect((await upload({ selector: '#f', paths: ['/no/such'] })).message).toBe(
      'paths has a path that does not exist: /no/such',
    );
    expect((await upload({ selector: '#f', paths: ['~/no/such'] })).message).toContain(`${homedir()}/no/such`);
    expect(await upload({ selector: '#n', paths: [one] })).toMatchObject({
      success: false,
      message: expect.stringContaining('no file chooser opened'),
    });
  });

  test('[browser.hidden-tab] a tab behind another takes input without being shown', async () => {
    await using behind = await bench.page(
      '<input id=i onfocus="window.focused = 1"><button id=b onclick="window.hit = 1">x</button>',
    );
    await using front = await bench.page('<p>front</p>');
    expect((await behind.post('click', { selector: '#b' })).json().success).toBe(true);
    expect((await behind.post('fill', { selector: '#i', value: 'typed' })).json().data.value).toBe('typed');
    expect(await behind.value('[window.hit, window.focused]')).toEqual([1, 1]);
    const tabs = (await bench.get('tabs')).json().data as { id: string; active: boolean }[];
    expect(tabs.find(({ active }) => active)?.id).toBe(front.id);
  });
});
