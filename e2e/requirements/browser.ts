import { type Requirement, section } from './requirement.ts';

export const BROWSER: readonly Requirement[] = [
  ...section('docs/contract.md §1.2', {
    'status.unavailable-503': 'a capability that is not available now answers 503 with a hint how to get it',
  }),
  ...section('docs/contract.md §6', {
    'browser.both': '/v1/browser/* and /v2/browser/* have the same routes from the same handlers',
    'browser.fields': 'each route has the fields of the contract, with their values and defaults',
    'browser.navigate':
      'navigate answers url, title, status, tab_id; wait_until is load, domcontentloaded, networkidle or commit',
    'browser.navigate-history': 'history goes back and forward and reloads',
    'browser.navigate-failure':
      'an address that cannot be reached is a failure: name, refused, TLS, download, blocked and timeout are distinguished',
    'browser.screenshot':
      'screenshot: png, jpeg, jpg, webp, quality, full_page, selector, scale; size and source in headers',
    'browser.screenshot-target':
      'target=display needs a worker (503); auto is the page without one, or with a page option',
    'browser.snapshot': 'snapshot answers the accessibility tree as text with refs, url and title; interactive_only',
    'browser.snapshot-frames': 'a snapshot has frames of other processes and open shadow roots',
    'browser.ref-holds': 'a node keeps its ref as long as it is in the page',
    'browser.ref-gone': 'a ref of a page or node that is gone is 404, never another element; a malformed one 400',
    'browser.ref-restart': 'a ref that another run of the daemon gave is 404',
    'browser.click': 'click by ref, selector or point, with button and click_count; nothing matches: 404',
    'browser.actionable':
      'an element that cannot be acted on is named with what is wrong: covered by what, disabled, not visible',
    'browser.fill': 'fill: text, contenteditable, select, checkbox, date; by input events',
    'browser.upload': 'upload: a file field, or the file chooser that an element opens',
    'browser.delegated':
      'SVC_AGENT_BROWSER_BIN: that CLI takes snapshots and acts on their refs; everything else stays as it is',
    'browser.evaluate': 'evaluate answers result and type; an exception is success false with its text',
    'browser.wait': 'wait: selector, url, load, networkidle, text, function; what matched',
    'browser.tabs': 'tabs: id, tab_id, url, title, active; a list position is 404, PUT activate 405',
    'browser.cookies': 'cookies: list by urls, url, domain, name; set; delete',
    'browser.network': 'network/requests: limit, clear, filter; begins before the first navigation',
    'browser.cdp': 'cdp answers what the browser answers, of a tab or of the browser',
    'browser.info':
      'info: user_agent, cdp_url, vnc_url, viewport, page_viewport; URLs of X-Forwarded-*, else Host, with the query',
    'browser.config': 'config sets the resolution',
    'browser.coordinates': 'what the screenshot shows is clicked at its coordinates by actions',
  }),
  ...section('docs/contract.md §7, §12', {
    'browser.actions': 'all 16 actions of 1.x as input of the page',
    'browser.actions-refused': 'a refused action is not 200; its answer has status and action_performed twice',
    'browser.typing': 'TYPING with use_clipboard false refuses what no key types; nothing is dropped',
  }),
  ...section('docs/browser.md', {
    'browser.one-connection': 'tabs of pages and other clients are seen; the end of one closes nothing of another',
    'browser.reconnect': 'a browser that starts again is found again',
    'browser.hidden-tab': 'a tab behind another one takes input, and stays behind',
    'browser.dialog': 'a dialog blocks no other tab; a call that meets it says so at once',
    'browser.crash': 'a tab that crashes says so; a navigation revives it',
    'browser.silent':
      'a browser that is stopped or says nothing is 503 within the deadline, and serves when it continues',
    'browser.dies-under-call':
      'a browser that is killed, and a page that takes all memory, end each call with a clear answer; the next one works',
    'browser.large': 'a data URL of 50 MB and a download that is cut are answered',
    'browser.closed-under-call': 'a tab that is closed under a call answers at once',
    'browser.begun':
      'after the first input event no answer is 503: success is false and the message says what was done',
    'browser.bounded': 'a page of 100,000 nodes gives a snapshot of bounded length with a hint',
    'browser.replaced': 'a page that replaces itself during a snapshot is answered',
    'browser.many-tabs': 'tabs that were opened and closed leave no descriptors',
    'browser.raw-apart': 'domains that a raw call switches concern no other call',
    'browser.own-names': 'names and roles of a snapshot are those of the browser’s own accessibility tree',
  }),
];
