import { beforeEach, describe, expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { ask, given, openSite, SITE } from './browser-site.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';

const NOTHING = { opened: [], download: null, dialog: null, navigated: null };
const PAGE = `<title>answers</title><a id=blank target=_blank href="/">blank</a><a id=here href="/">here</a>
  <a id=file href="/report">file</a><button id=ask onclick="document.title = prompt('name?')">ask</button>
  <button id=plain>plain</button><select aria-label=sizes multiple><option>small<option>large</select>
  <style>#tip { display: none } #over:hover + #tip { display: block }</style><button id=over>over</button>
  <div id=tip>the tip</div><div id=from draggable=true role=button>from</div>
  <div id=to role=button ondragover="event.preventDefault()" ondrop="document.title = 'dropped'">to</div>`;
const IMAGES = [DAEMON_IMAGE, DESKTOP_IMAGE].flatMap((image) => ['v1', 'v2'].map((version) => ({ image, version })));

describe.each(IMAGES)('$image, $version', ({ image, version }) => {
  const key = 'secret-key';
  const sandbox = sharedSandbox({ image, env: { SVC_API_KEY: key, BROWSER_START_MODE: 'auto', ...NO_KERNELS } });
  let site: Promise<void> | undefined;

  const post = async (path: string, body: object = {}) =>
    (await ask(sandbox(), 'POST', `/${version}/browser/${path}`, body)).body;
  const get = async (path: string) => (await ask(sandbox(), 'GET', `/${version}/browser/${path}`)).body;
  const click = async (selector: string) => (await post('click', { selector })).data;
  const value = async (expression: string) => (await post('evaluate', { expression })).data.result;

  beforeEach(async () => {
    site ??= openSite(sandbox());
    await site;
    expect(await post('navigate', { url: given(PAGE) })).toMatchObject({ success: true });
  });

  test('[browser.effects] [browser.awaits-element] a click says what came of it, and waits for its element', async () => {
    expect(await click('#plain')).toMatchObject(NOTHING);
    const { opened } = await click('#blank');
    expect(opened).toEqual([expect.any(String)]);
    expect((await ask(sandbox(), 'DELETE', `/${version}/browser/tabs/${opened[0]}`)).status).toBe(200);
    const { download } = await click('#file');
    expect(download).toMatchObject({ name: 'report.txt', id: expect.any(String), state: expect.any(String) });
    const asked = click('#ask');
    expect(await asked).toMatchObject({ ...NOTHING, dialog: { type: 'prompt', message: 'name?' } });
    expect(await post('dialog', { accept: true, prompt_text: 'ann' })).toMatchObject({ success: true });
    expect(await value('document.title')).toBe('ann');
    await value(
      'void setTimeout(() => document.body.append(Object.assign(document.createElement("hr"), { id: "late" })), 300)',
    );
    expect(await click('#late')).toMatchObject(NOTHING);
    expect((await post('fill', { selector: '#none', value: 'x', timeout: 0.2 })).message).toContain('#none');
    expect(await click('#here')).toMatchObject({ ...NOTHING, navigated: `${SITE}/` });
  });

  test('[browser.dialog-route] [browser.hover] [browser.drag] [browser.select] dialogs and hands', async () => {
    for (const [policy, title] of [
      ['accept', ''],
      ['dismiss', null],
    ]) {
      expect(await post('dialog', { policy })).toMatchObject({ data: { policy, dialog: null } });
      expect(await value('prompt("name?")')).toBe(title);
    }
    expect(await post('dialog', { policy: 'wait' })).toMatchObject({ success: true });
    expect(await post('hover', { selector: '#over' })).toMatchObject({ success: true });
    expect((await post('snapshot')).data.snapshot).toContain('the tip');
    const { snapshot } = (await post('snapshot')).data;
    const ref = (name: string): string => new RegExp(`"${name}".*\\[ref=(e\\d+)\\]`).exec(snapshot)?.[1] ?? '';
    expect(await post('drag', { ref: ref('from'), to: { ref: ref('to') } })).toMatchObject({ success: true });
    expect(await value('document.title')).toBe('dropped');
    const chosen = await post('select', { selector: 'select', values: ['small', 'large'] });
    expect(chosen).toMatchObject({ success: true, data: { value: 'small, large' } });
  });

  test('[browser.pdf] [browser.downloads] [browser.storage] [browser.har] files, storage and requests', async () => {
    const pdf = await sandbox().fetch(`/${version}/browser/pdf?paper=letter`);
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    await click('#file');
    const ended = (await post('downloads/wait')).data;
    expect(ended).toMatchObject({ name: 'report.txt', state: 'completed', received_bytes: 10 });
    expect((await get('downloads')).data).toContainEqual(ended);
    // The answer is a relative redirect, which clients follow through the gateway.
    const file = await sandbox().fetch(`/${version}/browser/downloads/${ended.id}/file`);
    expect([file.status, await file.text()]).toEqual([200, 'the report']);
    await value("localStorage.setItem('theme', 'dark'); document.cookie = 'who=ann'");
    const { data: state } = await get('storage');
    expect(state.cookies).toContainEqual(expect.objectContaining({ name: 'who', value: 'ann' }));
    expect(state.origins).toContainEqual({ origin: SITE, localStorage: [{ name: 'theme', value: 'dark' }] });
    await value("localStorage.clear(); document.cookie = 'who=; max-age=0'");
    expect(await post('storage', state)).toMatchObject({ success: true });
    expect(await value("[localStorage.getItem('theme'), document.cookie]")).toEqual(['dark', 'who=ann']);
    const har = await get('network/har?filter=given');
    expect(har.log).toMatchObject({ version: '1.2', entries: expect.any(Array) });
    expect(har.log.entries.at(-1)).toMatchObject({ request: { method: 'GET' }, response: { status: 200 } });
  });
});
