import { expect } from 'vitest';

/** What a client of the browser does on a page; elements are named by their role's name, as people do. */
export interface Hands {
  open(url: string): Promise<void>;
  fill(label: string, text: string): Promise<void>;
  choose(label: string, option: string): Promise<void>;
  /** Presses a button or a link, also in an open shadow root. */
  press(name: string): Promise<void>;
  pressInFrame(name: string): Promise<void>;
  /** Presses a button that asks a question, and accepts. */
  pressAndAccept(name: string): Promise<void>;
  /** Selects a file of the sandbox. */
  attach(label: string, path: string): Promise<void>;
  /** Scrolls to the end of the page. */
  scroll(): Promise<void>;
  back(): Promise<void>;
  forward(): Promise<void>;
  /** The visible text of the page. */
  text(): Promise<string>;
  /** Closes its tab, and disconnects. */
  close(): Promise<void>;
}

/** A file of the sandbox that the task uploads. */
export const NOTE = { path: '/tmp/note.txt', content: 'five!' };

interface Place {
  readonly url: string;
  /** What the pages of the site have reported. */
  readonly log: () => Promise<string>;
  /** The names of the files that the browser has downloaded. */
  readonly downloads: () => Promise<string>;
}

/** Signs in, orders, uploads, downloads and visits each kind of page. */
export async function doTask(hands: Hands, { url, log, downloads }: Place): Promise<void> {
  const shows = (text: string): Promise<void> => expect.poll(() => hands.text()).toContain(text);
  const reports = (what: string): Promise<void> => expect.poll(log).toContain(what);
  await hands.open(`${url}/login`);
  await hands.fill('User', 'ann');
  await hands.fill('Password', 'secret');
  await hands.press('Sign in');
  await shows('Welcome ann');
  await hands.open(`${url}/order`);
  await hands.fill('What', 'kettle');
  await hands.choose('Size', 'large');
  await hands.press('Order');
  await shows('ordered large kettle');
  await hands.open(`${url}/upload`);
  await hands.attach('File', NOTE.path);
  await hands.press('Send');
  await shows('got note.txt with 5 bytes: five!');
  await hands.open(`${url}/download`);
  await hands.press('Report');
  await expect.poll(downloads).toContain('the report');
  await hands.open(`${url}/frame`);
  await hands.pressInFrame('In the frame');
  await reports('frame');
  await hands.open(`${url}/shadow`);
  await hands.press('In the shadow');
  await reports('shadow');
  await hands.open(`${url}/dialog`);
  await hands.pressAndAccept('Ask');
  await reports('dialog');
  for (const [path, text] of [
    ['/slow', 'at last'],
    ['/old', 'the new place'],
    ['/missing', 'no such page'],
    ['/socket', 'hello by WebSocket'],
  ]) {
    await hands.open(url + path);
    await shows(text ?? '');
  }
  await hands.open(`${url}/scroll`);
  await expect
    .poll(async () => {
      await hands.scroll();
      return log();
    })
    .toContain('scrolled');
  await hands.close();
}
