import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { type Alias, alias, script } from './alias.ts';
import { LINKS, MARKDOWN, TEXT } from './page-text.ts';

/** The target of a name that no tool serves. */
export const DOWNLOADS = 'GET /v2/browser/downloads';
const Nothing = z.object({});
const Index = z.number().int().min(1).describe('Number of a reference of browser_snapshot: 12 is [ref=e12].');
const Shown = { index: Index.optional(), selector: z.string().min(1).describe('CSS selector.').optional() };

/** The element as the tools of pages name it. @throws SandboxError without one */
function element({ index, selector }: { index?: number | undefined; selector?: string | undefined }): string {
  if (index !== undefined) return `e${index}`;
  if (selector !== undefined) return selector;
  throw new SandboxError('invalid', 'an element is missing: give index or selector');
}

/** Names of the public task sets of 1.x that this service has under another name. */
export const ALIASES: readonly Alias[] = [
  alias('browser_go_back', 'Go back to the page before.', Nothing, 'browser_navigate_back', () => ({})),
  script('browser_go_forward', 'Go forward to the next page.', Nothing, () => '() => history.forward()'),
  script(
    'browser_scroll',
    'Scroll the page down by that many pixels, up if negative; without amount to its end.',
    z.object({ amount: z.number().optional() }),
    ({ amount }) =>
      `() => { scrollBy({ top: ${amount ?? 'document.documentElement.scrollHeight'}, behavior: 'instant' }); return { y: scrollY }; }`,
  ),
  alias(
    'browser_form_input_fill',
    'Fill a field, by the index of its reference in browser_snapshot or by selector. It replaces what is there.',
    z.object({ value: z.string(), ...Shown, clear: z.boolean().optional() }),
    'browser_type',
    ({ value, ...place }) => ({ target: element(place), text: value }),
  ),
  alias(
    'browser_select',
    'Choose an option of a list, by index or selector.',
    z.object({ value: z.string(), ...Shown }),
    'browser_select_option',
    ({ value, ...place }) => ({ target: element(place), values: [value] }),
  ),
  alias(
    'browser_get_clickable_elements',
    'What the page has, with references: the number of a reference is the index of the other tools.',
    Nothing,
    'browser_snapshot',
    () => ({}),
  ),
  script('browser_get_markdown', 'The page as Markdown.', Nothing, () => MARKDOWN),
  script('browser_get_text', 'The visible text of the page.', Nothing, () => TEXT),
  script('browser_read_links', 'The links of the page with text and address.', Nothing, () => LINKS),
  alias(
    'browser_screenshot',
    'A picture of the page or of an element.',
    z.object({ name: z.string().optional(), ...Shown, fullPage: z.boolean().optional() }),
    'browser_take_screenshot',
    ({ index, selector, fullPage }) => ({
      scale: 'css',
      ...(fullPage !== undefined && { fullPage }),
      ...((index ?? selector) !== undefined && { target: element({ index, selector }), element: 'element' }),
    }),
  ),
  alias('browser_new_tab', 'Open a tab.', z.object({ url: z.string().min(1) }), 'browser_tabs', ({ url }) => ({
    action: 'new',
    url,
  })),
  alias('browser_tab_list', 'List the tabs.', Nothing, 'browser_tabs', () => ({ action: 'list' })),
  alias(
    'browser_switch_tab',
    'Show the tab with that place in the list.',
    z.object({ index: z.number().int().min(0) }),
    'browser_tabs',
    ({ index }) => ({ action: 'select', index }),
  ),
  alias('browser_close_tab', 'Close the tab.', Nothing, 'browser_tabs', () => ({ action: 'close' })),
  alias('browser_get_download_list', 'The downloads of the browser.', Nothing, DOWNLOADS, () => ({})),
];
