import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { XExtension } from 'x11';
import type { XSession } from '../x11/x-session.ts';
import { type ScreenSize, screenSize } from './screen-size.ts';

const ROTATE_0 = 1;
const SUCCESS = 0;
/** Millimetres of a pixel at 96 per inch. */
const MILLIMETRES = 25.4 / 96;

interface Mode extends ScreenSize {
  readonly id: number;
}

interface Resources {
  readonly config_timestamp: number;
  readonly crtcs: readonly number[];
  readonly outputs: readonly number[];
  readonly modeinfos: readonly Mode[];
}

/** Resizes the display by RandR. @throws SandboxError `unavailable` if it keeps its size */
export async function resize(session: XSession, size: ScreenSize): Promise<ScreenSize> {
  const now = await screenSize(session);
  if (now.width === size.width && now.height === size.height) return now;
  const randr = session.extension('randr');
  if (randr === undefined) throw fixedSize('it has no RANDR');
  const resources = await session.query<Resources>((done) => randr['GetScreenResources'](session.root, done));
  const [crtc, output] = [resources.crtcs[0], resources.outputs[0]];
  if (crtc === undefined || output === undefined) throw fixedSize('it has no output');
  const mode = await modeOf(session, randr, resources, { output, size });
  // Between the two the screen has room for both sizes.
  const room = { width: Math.max(now.width, size.width), height: Math.max(now.height, size.height) };
  await setScreen(session, randr, room);
  const stamp = resources.config_timestamp;
  const { status } = await session.query<{ status: number }>((done) =>
    randr['SetCrtcConfig'](crtc, 0, stamp, 0, 0, mode, ROTATE_0, [output], done),
  );
  await setScreen(session, randr, status === SUCCESS ? size : now);
  if (status !== SUCCESS) throw fixedSize(`RANDR answered ${status}`);
  return screenSize(session);
}

async function setScreen(session: XSession, randr: XExtension, { width, height }: ScreenSize): Promise<void> {
  const now = await screenSize(session);
  if (now.width === width && now.height === height) return;
  const [mmWidth, mmHeight] = [Math.round(width * MILLIMETRES), Math.round(height * MILLIMETRES)];
  randr['SetScreenSize'](session.root, width, height, mmWidth, mmHeight);
  await session.sync();
}

/** A mode of that size, which the output has or gets. */
async function modeOf(
  session: XSession,
  randr: XExtension,
  { modeinfos, config_timestamp: stamp }: Resources,
  { output, size: { width, height } }: { readonly output: number; readonly size: ScreenSize },
): Promise<number> {
  const { modes } = await session.query<{ modes: number[] }>((done) => randr['GetOutputInfo'](output, stamp, done));
  const sized = modeinfos.filter((mode) => mode.width === width && mode.height === height);
  const own = sized.find(({ id }) => modes.includes(id));
  if (own) return own.id;
  const info = { width, height, dot_clock: width * height * 60, h_total: width, v_total: height };
  const name = `${width}x${height}`;
  const made =
    sized[0]?.id ?? (await session.query<number>((done) => randr['CreateMode'](session.root, { ...info, name }, done)));
  randr['AddOutputMode'](output, made);
  await session.sync();
  return made;
}

function fixedSize(reason: string): SandboxError {
  return new SandboxError('unavailable', `the display keeps its size: ${reason}`, {
    hint: 'use an X server that RANDR resizes, such as Xtigervnc',
  });
}
