import type { Size } from './recording-terms.ts';

export interface FfmpegTerms {
  readonly display: string;
  readonly fps: number;
  readonly crf: number;
  readonly maxDuration: number;
  readonly size: Size;
  /** Scales to it; H.264 in yuv420p has even sides. */
  readonly output: Size;
  readonly path: string;
}

/** Seconds of one fragment: what a crash costs at most. */
const FRAGMENT_SECONDS = 1;

/**
 * Arguments of ffmpeg for a recording in fragments, each of which is whole when it is written: a file that ends anywhere
 * is playable up to its last fragment. The last line of the progress on standard output is the state.
 */
export function ffmpegArguments({ display, fps, crf, maxDuration, size, output, path }: FfmpegTerms): string[] {
  const input = ['-f', 'x11grab', '-draw_mouse', '1', '-framerate', `${fps}`, '-video_size', sizeText(size)];
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', `${crf}`, '-pix_fmt', 'yuv420p'];
  const keyframes = ['-g', `${Math.max(Math.round(fps * FRAGMENT_SECONDS), 1)}`, '-threads', '1'];
  const fragments = ['-movflags', 'empty_moov+frag_keyframe+default_base_moof', '-flush_packets', '1'];
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostats', '-progress', 'pipe:1', '-stats_period', '0.5', '-y'],
    ...input,
    ...['-i', display, '-t', `${maxDuration}`],
    ...['-vf', `scale=${output.width}:${output.height}:flags=fast_bilinear`],
    ...codec,
    ...keyframes,
    // A busy machine misses pictures: the last one stands for them, so that the rate is the one that was asked for.
    ...['-r', `${fps}`, '-fps_mode', 'cfr'],
    ...fragments,
    ...['-f', 'mp4', path],
  ];
}

function sizeText({ width, height }: Size): string {
  return `${width}x${height}`;
}

/**
 * Size of the pictures: one side alone keeps the proportions of the display. Sides are even, and at least 2.
 */
export function outputSize(screen: Size, width: number | undefined, height: number | undefined): Size {
  const byWidth = width === undefined ? undefined : width / screen.width;
  const byHeight = height === undefined ? undefined : height / screen.height;
  return {
    width: even(screen.width * (byWidth ?? byHeight ?? 1)),
    height: even(screen.height * (byHeight ?? byWidth ?? 1)),
  };
}

function even(side: number): number {
  return Math.max(2 * Math.floor(side / 2), 2);
}
