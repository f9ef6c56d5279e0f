import { type Requirement, section } from './requirement.ts';

export const BROWSER_CLIENTS: readonly Requirement[] = section('docs/browser.md', {
  'images.browser-history': 'Playwright goes back and forward over /cdp in existing and new contexts',
  'browser.last-tab': 'a browser keeps one tab: an empty one follows the last that is closed',
  'browser.waits-for-start':
    'a call that arrives while the browser starts waits for it, up to 20 s and its own timeout',
  'browser.manual': 'with BROWSER_START_MODE=manual no call starts the browser; the 503 names what does',
  'browser.hung-tab':
    'with SVC_BROWSER_HUNG_TAB_SECONDS a tab that answers nothing is crashed, so that clients of /cdp connect',
  'browser.on-demand': 'with SVC_BROWSER_ON_DEMAND=true calls that act start the browser, and calls that look do not',
  'browser.link-tickets':
    'cdp_url and vnc_url carry tickets if the key was sent in a header; never for a caller with a ticket or a cookie',
  'app.typed-address': 'an address without a scheme is http for local hosts and other ports, else https',
});
