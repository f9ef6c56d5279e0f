import { definePort } from '../ports/port.ts';

type PointerButton = 'left' | 'right' | 'middle';

/** What an agent does with pointer and keyboard. Coordinates are pixels of the screenshot, from its top left corner. */
export type InputAction =
  | { readonly type: 'MOVE_TO' | 'DRAG_TO'; readonly x: number; readonly y: number }
  | { readonly type: 'MOVE_REL' | 'DRAG_REL'; readonly xOffset: number; readonly yOffset: number }
  | {
      readonly type: 'CLICK';
      readonly x?: number | undefined;
      readonly y?: number | undefined;
      readonly button: PointerButton;
      readonly numClicks: number;
    }
  | { readonly type: 'RIGHT_CLICK' | 'DOUBLE_CLICK'; readonly x?: number | undefined; readonly y?: number | undefined }
  | { readonly type: 'MOUSE_DOWN' | 'MOUSE_UP'; readonly button: PointerButton }
  | { readonly type: 'SCROLL'; readonly dx: number; readonly dy: number }
  | { readonly type: 'TYPING'; readonly text: string; readonly useClipboard: boolean }
  | { readonly type: 'PRESS' | 'KEY_DOWN' | 'KEY_UP'; readonly key: string }
  | { readonly type: 'HOTKEY'; readonly keys: readonly string[] }
  | { readonly type: 'WAIT'; readonly duration: number };

export interface PictureTerms {
  readonly format: 'png' | 'jpeg' | 'webp';
  /** 0–100, of jpeg and webp. */
  readonly quality?: number | undefined;
  /** Pixels of the picture per pixel. */
  readonly scale: number;
}

export interface Picture {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The end of an action that had begun. */
export interface Performed {
  readonly success: boolean;
  readonly message: string;
  readonly hint: string | null;
}

/** The display with its worker. */
export interface Desktop {
  /** Whether a worker serves the display now. */
  isAvailable(): Promise<boolean>;
  size(): Promise<Size>;
  resize(size: Size): Promise<void>;
  screenshot(terms: PictureTerms): Promise<Picture>;
  /** @throws SandboxError if nothing was done */
  perform(action: InputAction, requestId: string): Promise<Performed>;
}

/** Filled by the desktop; where nothing fills it, actions and screenshots are of the page. */
export const DESKTOP = definePort<Desktop>('desktop');
