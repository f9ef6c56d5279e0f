import type { Size } from './recording-terms.ts';

export interface FfmpegTerms {
  readonly display: string;
  readonly fps: number;
  readonly crf: number;
  /** Seconds. */
  readonly maxDuration: number;
  /** Of the display. */
  readonly size: Size;
  /** Of the pictures; H.264 in yuv420p has even sides. */
  readonly output: Size;
  /** Keeps the proportions of the display, with black bars; else the display fills the picture. */
  readonly keepsProportions: boolean;
  /** A path, or `pipe:1`. */
  readonly target: string;
}

/** Seconds of one fragment: what a crash costs at most. */
const FRAGMENT_SECONDS = 1;
/** Units of a second in which the fragments state their times. */
export const TIMESCALE = 90_000;

/**
 * Arguments of ffmpeg for a recording in fragments, each of which is whole when it is written: a file that ends anywhere
 * is playable up to its last fragment. They are the same for every size of the display as long as the pictures have the
 * same one, so that fragments of several processes make one file. Lines of the progress go to descriptor 3.
 */
export function ffmpegArguments(terms: FfmpegTerms): string[] {
  const { display, fps, crf, maxDuration, size, target } = terms;
  const input = ['-f', 'x11grab', '-draw_mouse', '1', '-framerate', `${fps}`, '-video_size', sizeText(size)];
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', `${crf}`, '-pix_fmt', 'yuv420p'];
  const keyframes = ['-g', `${Math.max(Math.round(fps * FRAGMENT_SECONDS), 1)}`, '-threads', '1'];
  // Without the index at the end of the file: fragments may follow it.
  const fragments = ['-movflags', 'empty_moov+frag_keyframe+default_base_moof+skip_trailer', '-flush_packets', '1'];
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostats', '-progress', 'pipe:3', '-stats_period', '0.5', '-y'],
    ...input,
    ...['-i', display, '-t', `${maxDuration}`],
    ...['-vf', filterOf(terms)],
    ...codec,
    ...keyframes,
    // A busy machine misses pictures: the last one stands for them, so that the rate is the one that was asked for.
    ...['-r', `${fps}`, '-fps_mode', 'cfr'],
    ...['-video_track_timescale', `${TIMESCALE}`],
    ...fragments,
    ...['-f', 'mp4', target],
  ];
}

/** Square pixels at any scale: the first lines of the file say them for all fragments. */
function filterOf({ output: { width, height }, keepsProportions }: FfmpegTerms): string {
  if (!keepsProportions) return `scale=${width}:${height}:flags=fast_bilinear,setsar=1`;
  const scale = `scale=${width}:${height}:force_original_aspect_ratio=decrease:flags=fast_bilinear`;
  return `${scale},pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2,setsar=1`;
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
