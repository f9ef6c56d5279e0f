import { type FilePath, shownPath } from '../../core/files/file-path.ts';
import type { EventData, EventKind } from '../../core/recorder/event.ts';
import type { Recorder } from '../../core/recorder/recorder.ts';

const KINDS = {
  write: 'file.written',
  create: 'file.written',
  upload: 'file.written',
  import: 'file.written',
  edit: 'file.edited',
  replace: 'file.edited',
  mkdir: 'file.made',
  copy: 'file.copied',
  move: 'file.moved',
  delete: 'file.deleted',
} as const satisfies Readonly<Record<string, EventKind>>;
/** What changes a file. */
export type Operation = keyof typeof KINDS;

export function uploadedData({ size, etag }: { readonly size: number; readonly etag: string }): EventData {
  return { bytes: size, etag };
}

/** Reports a change that a call has made. */
export function noteChange(recorder: Recorder, operation: Operation, path: FilePath, data: EventData): void {
  recorder.note(KINDS[operation], { path: shownPath(path) }, { operation, ...data });
}
