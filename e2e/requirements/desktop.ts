import { type Requirement, section } from './requirement.ts';

export const DESKTOP: readonly Requirement[] = [
  ...section('docs/contract.md §7', {
    'desktop.info': 'info answers available, display, xauthority, screen_resolution, capabilities and warnings',
    'desktop.screenshot': 'GET screenshot answers a PNG of the display; sizes of picture and screen in headers',
    'desktop.screenshot-terms': 'format, quality, scale and region; out of range is 422, beyond the screen 400',
    'desktop.screenshot-cursor': 'cursor draws the pointer',
    'desktop.screenshot-etag': 'DAMAGE proves the etag: 304 while nothing was drawn, 200 after a drawing',
    'desktop.fallback': 'a display without an extension is served without what needs it, and warnings say so',
    'desktop.resolution': 'the display changes its size at run time',
    'desktop.action': 'an action answers status and action_performed at the top level and under data',
    'desktop.pointer':
      'MOVE_TO, MOVE_REL, CLICK, RIGHT_CLICK, DOUBLE_CLICK, MOUSE_DOWN, MOUSE_UP, DRAG_TO, DRAG_REL, SCROLL',
    'desktop.typing':
      'TYPING: characters of the layout as keys, others by Shift+Insert; the clipboard is restored; use_clipboard false: 400',
    'desktop.keys':
      'PRESS, KEY_DOWN, KEY_UP, HOTKEY by names of X, short names and characters; unknown: 422 with near ones',
    'desktop.batch':
      'up to 50 actions, which no other caller interrupts; performed, failed_index, error; what is held is released',
    'desktop.clipboard': 'SET_CLIPBOARD keeps the ownership; GET clipboard answers at most 1 MiB, in time',
    'desktop.windows': 'GET windows answers snapshot_id and windows; WINDOW_ACTIVATE and WINDOW_MINIMIZE by window_id',
    'desktop.no-manager':
      'without a window manager windows are listed and activated, and minimizing says what is missing',
    'desktop.away': 'without a worker every route is 503 computer-use worker is not available, with a hint',
    'desktop.hostile-worker':
      'what answers at the address of the worker is not a worker if its status, type or data are not those of one',
    'desktop.forward': 'the daemon validates, forwards with its request id, and passes answer and errors on',
    'desktop.browser': 'with a worker screenshot and actions of /v1/browser and /v2/browser are of the display',
    'desktop.capabilities': '/v1/capabilities says of the computer whether it is ready, degraded or absent',
    'desktop.silence': 'a worker silent after the first event: 200, success false, performed and failed_index',
    'config.computer-use': 'the variables and limits of the worker have their documented defaults',
    'desktop.pages': 'web pages do not reach the worker: foreign hosts, origins and Sec-Fetch-Site are 403',
    'desktop.restart': 'the worker starts without an X server and serves the display again after a restart of it',
  }),
];
