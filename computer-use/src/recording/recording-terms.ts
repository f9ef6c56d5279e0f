/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface RecordingTerms {
  /** Absolute; default: a name by the time below /tmp/recordings. */
  readonly savePath?: string | undefined;
  /** Pictures a second. */
  readonly fps: number;
  /** Quality of H.264: 0 is lossless, 51 worst. */
  readonly crf: number;
  /** Seconds. */
  readonly maxDuration: number;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

export interface RecordingState {
  readonly status: 'idle' | 'recording' | 'stopped';
  readonly savePath: string | undefined;
  /** Seconds. */
  readonly duration: number;
  readonly fileSize: number | undefined;
  /** Why it stopped by itself. */
  readonly reason: string | undefined;
}
