import { type Requirement, section } from './requirement.ts';

/** Screens of terminals that meet output from outside. */
export const SCREENS: readonly Requirement[] = [
  ...section('docs/terminals.md', {
    'pty.screen-bounds': 'parameters and strings of control sequences are bounded before a screen is drawn',
    'pty.screen-quarantine':
      'output that cannot be drawn costs its terminal the screen, for good, and no other terminal',
    'pty.screen-hostile': 'after any control sequence the screens of other terminals, exec and /health answer',
    'pty.widths': 'screen and page count the cells of a character by one table of Unicode 17',
    'pty.resize-storm': 'resizes of a WebSocket are written to disk at a bounded rate, the last one always',
  }),
];
