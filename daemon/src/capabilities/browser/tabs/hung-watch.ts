import { pause } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import type { Tab } from './tab.ts';

/** Milliseconds that the browser has for a call that no page delays, and a page after a browser that had stopped. */
const BROWSER_MS = 2000;
const LOOKS = 4;
const BROWSER_CALL = ['Browser.getVersion', {}] as const;
const PAGE_CALL = ['Runtime.evaluate', { expression: '0' }] as const;

/**
 * Crashes a tab whose page has answered nothing for `ms` milliseconds, so that clients that wait for all tabs can
 * connect. A tab with a dialog is left alone, and so are all while the browser itself does not answer. A page that a
 * debugger holds answers.
 */
export async function watchForHang(tab: Tab, browser: CdpSession, ms: number): Promise<void> {
  const { gone } = tab;
  while (!gone.aborted) {
    await pause(ms / LOOKS, gone);
    if (tab.isCrashed || tab.dialog || gone.aborted || (await answers(tab.session, ms))) continue;
    const isHung = (await answers(browser, BROWSER_MS)) && !(await answers(tab.session, BROWSER_MS));
    if (isHung && !tab.dialog) await tab.session.sendRaw('Page.crash', {}, BROWSER_MS).catch(ignore);
  }
}

/** Whether a session answers within that time, be it with an error. */
async function answers(session: CdpSession, ms: number): Promise<boolean> {
  const [method, params] = session.id === undefined ? BROWSER_CALL : PAGE_CALL;
  try {
    await session.sendRaw(method, params, ms);
    return true;
  } catch (error) {
    return !isCdpFailure(error, 'timeout');
  }
}
