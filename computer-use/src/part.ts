import type { App } from '@sandbox/api/http/app-types.ts';

/** What a part of the worker can do now. */
export interface PartState {
  readonly available: boolean;
  /** What a caller should know; shown by GET info. */
  readonly warning?: string;
}

/** A part of the worker beside the display itself: accessibility, recording. */
export interface WorkerPart extends AsyncDisposable {
  readonly name: 'accessibility' | 'recording';
  state(): Promise<PartState>;
  /** Adds its routes, whose paths begin with `/computer`; the app has the prefix `/v2`. */
  mount(app: App): void;
}

/** What actions on nodes need; accessibility provides it. */
export interface NodeActions {
  /** @throws SandboxError `not_found` for a node that is gone, and `unavailable` after its deadline */
  focus(nodeId: string, signal: AbortSignal): Promise<void>;
  invoke(nodeId: string, action: string | undefined, signal: AbortSignal): Promise<void>;
  /** @returns false if the node has the focus instead, and keys replace its text */
  setValue(nodeId: string, value: string | number, signal: AbortSignal): Promise<boolean>;
}
