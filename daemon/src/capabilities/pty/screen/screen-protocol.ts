/** What the main thread asks of the screen thread. `session` names a model. */
export type ScreenRequest =
  | { readonly type: 'open'; readonly session: number; readonly cols: number; readonly rows: number }
  | { readonly type: 'write'; readonly session: number; readonly bytes: Uint8Array; readonly id: number }
  | { readonly type: 'resize'; readonly session: number; readonly cols: number; readonly rows: number }
  | { readonly type: 'look'; readonly session: number; readonly format: ScreenFormat; readonly id: number }
  | { readonly type: 'close'; readonly session: number };

/** `text`: the rows of the screen; `ansi`, `html`: with their colours; `repaint`: what draws it, scrollback included; `line`: the cursor's, up to it. */
export type ScreenFormat = 'text' | 'ansi' | 'html' | 'repaint' | 'line';

export interface ScreenLook {
  readonly output: string;
  readonly cols: number;
  readonly rows: number;
  /** From 0, of the screen. */
  readonly cursor: { readonly x: number; readonly y: number };
  readonly title: string;
  readonly alternateScreen: boolean;
}

/** An answer to a request with an `id`. */
export interface ScreenAnswer {
  readonly id: number;
  readonly look?: ScreenLook;
}
