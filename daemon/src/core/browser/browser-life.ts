import { definePort } from '../ports/port.ts';

/** Whether a browser runs, for parts that reach it by another way than the routes. */
export interface BrowserLife {
  /**
   * Waits for a browser that starts, and has it started if calls may do that.
   * @throws SandboxError `unavailable` with what to do if no browser answers
   */
  awake(): Promise<unknown>;
}

/** Filled by the browser. */
export const BROWSER_LIFE = definePort<BrowserLife>('browser-life');
