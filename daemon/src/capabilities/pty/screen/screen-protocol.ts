/** Requests of the main thread to the screen thread. `session`: id of a model. */
export type ScreenRequest =
  | { readonly type: 'open'; readonly session: number; readonly cols: number; readonly rows: number }
  | { readonly type: 'write'; readonly session: number; readonly bytes: Uint8Array; readonly id: number }
  | { readonly type: 'resize'; readonly session: number; readonly cols: number; readonly rows: number }
  | { readonly type: 'look'; readonly session: number; readonly format: ScreenFormat; readonly id: number }
  | { readonly type: 'close'; readonly session: number };

/**
 * `text`: rows of the screen. `ansi`, `html`: rows with colours. `repaint`: output that draws the screen with its
 * scrollback. `line`: the line of the cursor, up to the cursor. `transcript`: the lines of scrollback and screen, each in
 * one piece however many rows it fills.
 */
export type ScreenFormat = 'text' | 'ansi' | 'html' | 'repaint' | 'line' | 'transcript';

/** Characters of the output of a look; a longer one is cut. */
export const LOOK_MAX = 16 * 1024 ** 2;

export interface ScreenLook {
  readonly output: string;
  /** The output is longer than `LOOK_MAX`. */
  readonly isCut: boolean;
  readonly cols: number;
  readonly rows: number;
  /** Column and row on the screen, from 0. */
  readonly cursor: { readonly x: number; readonly y: number };
  readonly title: string;
  readonly alternateScreen: boolean;
}

/** An answer to a request with an `id`; 0: to none. */
export interface ScreenAnswer {
  readonly id: number;
  /** A session whose model was given up: its output could not be drawn, or needs too much memory. */
  readonly failed?: number;
  readonly look?: ScreenLook;
}
