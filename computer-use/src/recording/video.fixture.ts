import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Video {
  readonly frames: number;
  readonly width: number;
  readonly height: number;
}

/** Decodes the whole file. */
export async function probe(path: string): Promise<Video> {
  const show = ['-show_entries', 'stream=width,height,nb_read_frames', '-of', 'json'];
  const { stdout } = await run('ffprobe', ['-v', 'error', '-count_frames', ...show, path]);
  const { streams } = JSON.parse(stdout) as { streams: { nb_read_frames: string; width: number; height: number }[] };
  const [stream] = streams;
  if (!stream) throw new Error('no video');
  return { frames: Number(stream.nb_read_frames), width: stream.width, height: stream.height };
}

interface Picture {
  /** `WIDTHxHEIGHT` */
  readonly size: string;
  /** Its time in the file. */
  readonly seconds: number;
}

/** Decodes the whole file. */
export async function pictures(path: string): Promise<Picture[]> {
  const show = ['-show_entries', 'frame=width,height,pts_time', '-of', 'json'];
  const { stdout, stderr } = await run('ffprobe', ['-v', 'error', ...show, path], { maxBuffer: 16 * 1024 * 1024 });
  if (stderr !== '') throw new Error(stderr);
  const { frames } = JSON.parse(stdout) as { frames: { width: number; height: number; pts_time: string }[] };
  return frames.map(({ width, height, pts_time }) => ({ size: `${width}x${height}`, seconds: Number(pts_time) }));
}

/** Whether a point is light in each picture. */
export async function lightAt(path: string, [x, y]: readonly [number, number]): Promise<boolean[]> {
  const point = ['-vf', `crop=1:1:${x}:${y}:exact=1,format=gray`, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, ...point], { encoding: 'buffer' });
  return [...stdout].map((byte) => byte > 127);
}
