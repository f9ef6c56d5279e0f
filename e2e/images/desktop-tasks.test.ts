import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { personsBrowser } from '../pages/browsers.ts';
import { DesktopAgent } from './desktop-agent.ts';
import { untilHealthy } from './observe.ts';
import { keepPicture, load } from './person.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';

const KEY = 'key-of-the-tasks';
const HOME = '/home/sandbox';
const VIDEO = '/tmp/tasks.mp4';
const FPS = 5;
const TEXT = 'Grüße aus Köln\n漢字とかな und 😀\nletzte Zeile';
/** What the window manager draws around a window, in pixels. */
const TITLE = 24;
const FORM = `<title>form</title><body style="font:20px sans-serif">
  <form onsubmit="document.title = 'sent ' + new URLSearchParams(new FormData(this)); return false">
    <label>Name <input name="name"></label><br>
    <label><input type="checkbox" name="agree"> Agree</label><br>
    <label>Size <select name="size"><option>small</option><option>large</option></select></label><br>
    <button>Send order</button></form>`;
const LONG = `<title>long</title><body style="height:6000px">${'<p>line'.repeat(50)}`;

const sandbox = sharedSandbox({ image: DESKTOP_IMAGE, env: { SVC_API_KEY: KEY, ...NO_KERNELS } });
let agent: DesktopAgent;
const viewers: Page[] = [];
let closeViewers: () => Promise<void> = async () => undefined;
let recordedSince = 0;
/** Seconds of the recording before the resolution changed. */
let resizedAt = 0;

// The tasks follow each other on one desktop, as an agent does them: what a task opened, the next one uses.
beforeAll(() => {
  agent = new DesktopAgent(sandbox());
});

afterAll(() => closeViewers());

test('[desktop.task-record] a recording of all tasks begins, and two viewers watch', async () => {
  await untilHealthy(sandbox());
  const browser = await personsBrowser();
  closeViewers = () => browser.close();
  for (const _ of [1, 2]) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1024 } });
    await load(page, `${sandbox().url}/vnc/?api_key=${KEY}`);
    viewers.push(page);
  }
  const begun = await sandbox().post('/v1/display/record', { action: 'start', fps: FPS, save_path: VIDEO });
  expect(begun).toMatchObject({ status: 'recording', save_path: VIDEO });
  recordedSince = performance.now();
  for (const page of viewers) await expect.poll(() => canvasWidth(page)).toBe(1280);
});

function canvasWidth(page: Page): Promise<number> {
  return page.evaluate<number>("document.querySelector('#noVNC_container canvas')?.width ?? 0");
}

function recording(action: 'status' | 'stop'): Promise<{ readonly duration: number; readonly reason: string | null }> {
  return sandbox().post('/v1/display/record', { action });
}

async function evaluated(expression: string): Promise<unknown> {
  return (await sandbox().post<{ result: unknown }>('/v2/browser/evaluate', { expression })).result;
}

const open = (html: string): Promise<unknown> =>
  sandbox().post('/v2/browser/navigate', { url: `data:text/html;charset=utf-8,${encodeURIComponent(html)}` });

test('[desktop.task-editor] the editor is opened from the menu, text of any script typed and saved by the dialog', async () => {
  await agent.click({ role: 'toggle button', name: 'Applications' });
  await agent.click({ role: 'menu', name: 'Accessories' });
  await agent.picture('desktop-menu');
  await agent.click({ role: 'menu item', name: 'Mousepad' });
  await agent.activate('Untitled 1');
  await agent.act({ action_type: 'TYPING', text: TEXT });
  await agent.act({ action_type: 'HOTKEY', keys: ['ctrl', 's'] }, '/v1/browser/actions');
  await agent.window('Save As');
  const path = `${HOME}/Grüße.txt`;
  await agent.batch({ action_type: 'HOTKEY', keys: ['ctrl', 'a'] }, { action_type: 'TYPING', text: path });
  await agent.picture('desktop-save');
  await agent.press({ role: 'button', name: 'Save' });
  await agent.window('Grüße.txt');
  expect((await agent.readFile(path)).trimEnd()).toBe(TEXT);
});

test('[desktop.task-windows] a window is dragged by its title and resized by its corner', async () => {
  const { bounds } = await agent.window('Grüße.txt');
  await agent.batch(
    { action_type: 'MOVE_TO', x: bounds.x + 150, y: bounds.y - TITLE / 2 },
    { action_type: 'DRAG_REL', x_offset: 70, y_offset: 50 },
  );
  const place = async () => (await agent.window('Grüße.txt')).bounds;
  await expect.poll(place).toEqual({ ...bounds, x: bounds.x + 70, y: bounds.y + 50 });
  const moved = await place();
  await agent.batch(
    { action_type: 'MOVE_TO', x: moved.x + moved.width + 1, y: moved.y + moved.height + 1 },
    { action_type: 'DRAG_REL', x_offset: 60, y_offset: 40 },
  );
  await expect.poll(async () => (await place()).width).toBeGreaterThan(moved.width + 30);
  expect((await place()).height).toBeGreaterThan(moved.height + 20);
});

test('[desktop.task-copy] what is selected in a terminal is pasted into the editor', async () => {
  // Its title changes behind the text.
  const script = String.raw`printf 'copied out\n\033]0;source\007'; exec cat`;
  await sandbox().run(`exec xfce4-terminal --hide-menubar -x sh -c "${script}"`, { mode: 'async' });
  const { bounds } = await agent.window('source');
  const y = bounds.y + 12;
  await agent.batch(
    { action_type: 'MOVE_TO', x: bounds.x + 3, y },
    { action_type: 'DRAG_TO', x: bounds.x + bounds.width - 40, y },
    { action_type: 'HOTKEY', keys: ['ctrl', 'shift', 'c'] },
  );
  const clipboard = async () =>
    ((await (await sandbox().fetch('/v2/computer/clipboard')).json()) as { data: { text: string } }).data.text;
  await expect.poll(clipboard).toContain('copied out');
  await agent.activate('Grüße.txt');
  await agent.batch(
    { action_type: 'HOTKEY', keys: ['ctrl', 'End'] },
    { action_type: 'PRESS', key: 'Return' },
    { action_type: 'HOTKEY', keys: ['ctrl', 'v'] },
  );
  // The editor fetches the clipboard after the keys.
  const shown = async () => (await agent.node({ role: 'text', states: 'multi-line' })).value;
  await expect.poll(shown).toContain('letzte Zeile\ncopied out');
  await agent.act({ action_type: 'HOTKEY', keys: ['ctrl', 's'] });
  await expect.poll(() => agent.readFile(`${HOME}/Grüße.txt`)).toContain('letzte Zeile\ncopied out');
  await agent.picture('desktop-copied');
});

test('[desktop.task-dialog] a dialog that appears late is awaited and answered', async () => {
  const dialog = 'sleep 2; exec xmessage -title late -buttons Later:4,Yes:7 -default Yes "Go on?"';
  const { command_id } = await sandbox().run(dialog, { mode: 'async' });
  await agent.activate('late');
  await agent.picture('desktop-late');
  await agent.act({ action_type: 'PRESS', key: 'Return' });
  const ended = async () => {
    const answer = await sandbox().fetch(`/v2/commands/${command_id}?wait=true`);
    return ((await answer.json()) as { data: { command: { exit_code: number | null } } }).data.command.exit_code;
  };
  await expect.poll(ended).toBe(7);
});

test('[desktop.task-buttons] a button is found by role and name and pressed, in GTK and in Chromium', async () => {
  await agent.activate('Grüße.txt');
  await agent.act({ action_type: 'TYPING', text: 'x' });
  await agent.act({ action_type: 'HOTKEY', keys: ['ctrl', 'w'] });
  await agent.press({ role: 'button', name: "Don't Save" });
  await expect.poll(async () => (await agent.windows()).filter(({ title }) => title.includes('Grüße'))).toEqual([]);
  await sandbox().post('/v2/browser/start', {});
  await open(`<title>shop</title><button onclick="document.title = 'ordered'">Order now</button>`);
  await agent.press({ role: 'button', name: 'Order now' });
  await expect.poll(() => evaluated('document.title')).toBe('ordered');
});

test('[desktop.task-form] a web form is filled and sent by accessibility alone', async () => {
  await open(FORM);
  const set = async (query: Readonly<Record<string, string>>, value: string): Promise<void> => {
    const { node_id } = await agent.node(query);
    await agent.act({ action_type: 'NODE_SET_VALUE', node_id, value });
  };
  await set({ role: 'entry', name: 'Name' }, 'Jörg 漢');
  await set({ role: 'check box', name: 'Agree' }, 'true');
  await set({ role: 'combo box', name: 'Size' }, 'large');
  await agent.picture('desktop-form');
  await agent.press({ role: 'button', name: 'Send order' });
  const sent = `sent ${new URLSearchParams({ name: 'Jörg 漢', agree: 'on', size: 'large' })}`;
  await expect.poll(() => evaluated('document.title')).toBe(sent);
});

test('[desktop.task-scroll] a page is scrolled to its end', async () => {
  await open(LONG);
  const isAtEnd = () => evaluated('scrollY + innerHeight >= document.documentElement.scrollHeight - 1');
  expect(await isAtEnd()).toBe(false);
  // As a person does it: a page that is still drawn takes no wheel.
  await expect
    .poll(async () => {
      await agent.batch({ action_type: 'MOVE_TO', x: 600, y: 600 }, { action_type: 'SCROLL', dy: 100 });
      return isAtEnd();
    })
    .toBe(true);
});

test('[desktop.task-resolution] the resolution changes under a running task, and viewers follow', async () => {
  await sandbox().run('exec mousepad --disable-server', { mode: 'async' });
  await agent.activate('Untitled');
  const lines = Array.from({ length: 20 }, (_, number) => `line ${number} of a long text`);
  const typing = agent.batch(...lines.map((line) => ({ action_type: 'TYPING', text: `${line}\n` })));
  resizedAt = (await recording('status')).duration;
  await sandbox().post('/v2/computer/resolution', { width: 1024, height: 768 });
  await typing;
  const path = `${HOME}/long.txt`;
  await agent.act({ action_type: 'HOTKEY', keys: ['ctrl', 's'] });
  await agent.window('Save As');
  await agent.batch({ action_type: 'HOTKEY', keys: ['ctrl', 'a'] }, { action_type: 'TYPING', text: path });
  await agent.press({ role: 'button', name: 'Save' });
  await expect.poll(() => agent.readFile(path).catch(String)).toBe(`${lines.join('\n')}\n`);
  const shown = await sandbox().fetch('/v1/browser/screenshot');
  expect([shown.headers.get('x-image-width'), shown.headers.get('x-image-height')]).toEqual(['1024', '768']);
  await agent.picture('desktop-1024');
  for (const page of viewers) {
    await expect.poll(() => canvasWidth(page)).toBe(1024);
    await keepPicture(`desktop-viewer-${viewers.indexOf(page)}`, await page.screenshot());
  }
});

test('[desktop.task-record] the recording of the tasks has their length and its frames', async () => {
  // The resolution has changed meanwhile.
  await expect.poll(async () => (await recording('status')).duration).toBeGreaterThan(resizedAt + 5);
  const { duration, reason } = await recording('stop');
  expect(reason).toBe(null);
  const seconds = (performance.now() - recordedSince) / 1000;
  expect(Math.abs(duration - seconds)).toBeLessThan(10);
  const show = 'ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height -of csv=p=0';
  const [width, height, frames] = (await sandbox().shell(`${show} ${VIDEO}`)).split(',').map(Number);
  expect([width, height]).toEqual([1280, 1024]);
  expect(Math.abs(Number(frames) - duration * FPS)).toBeLessThan(2 * FPS);
});
