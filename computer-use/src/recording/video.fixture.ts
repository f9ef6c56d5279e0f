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
