import { type Requirement, section } from '../requirement.ts';

export const BROWSER_FIELDS: readonly Requirement[] = section('docs/contract.md §12 /browser', {
  'browser-field.info': 'info has the required fields of 1.x with their types; cdp_ui_url is null',
  'browser-field.screenshot': 'screenshot format jpg is jpeg, default png; headers have the sizes of screen and image',
  'browser-field.config': 'config resolution null changes nothing',
  'browser-field.tabs-url': 'tabs url null: an empty tab',
  'browser-field.cookies':
    'cookies: urls comma separated, absent all; names as in the protocol; DELETE without a field: all',
  'browser-field.requests': 'network/requests filter is a part of the URL, limit the most in the answer',
  'browser-field.pointer': 'CLICK without x and y clicks at the pointer; MOVE_REL moves from it',
  'browser-field.buttons': 'MOUSE_DOWN holds until MOUSE_UP; DRAG_TO and DRAG_REL hold the left button',
  'browser-field.scroll': 'SCROLL: positive is right and down; more than 100 notches are 100',
  'browser-field.typing': 'TYPING: any character arrives',
  'browser-field.keys': 'keys: X names, short names and single characters',
  'browser-field.hotkey': 'HOTKEY presses in order and releases',
  'browser-field.wait': 'WAIT: seconds, over 0, at most 10',
  'browser-field.answer': 'actions answer status and action_performed at the top level and under data',
});
