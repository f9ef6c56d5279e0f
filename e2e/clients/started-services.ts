import process from 'node:process';
import { TestBrowser } from '../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { WorkerProcess } from '../../daemon/src/capabilities/desktop/worker-process.fixture.ts';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { has } from '../../scripts/testing/machine.ts';
import { Sandbox } from '../images/sandbox.ts';
import { Services } from '../services.ts';

export interface StartedService extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  /** Whether a worker serves a display: actions and screenshots are of it. */
  readonly hasDisplay: boolean;
}

/**
 * The gateway and the daemon: in a container with `CLIENTS_IN=image`, else on this machine. With a key they have a
 * worker with a display, in the desktop image or beside the services.
 */
export async function startedServices(key: string): Promise<StartedService> {
  const env = key === '' ? {} : { SVC_API_KEY: key };
  const inImage = process.env['CLIENTS_IN'] === 'image';
  const hasDisplay = key !== '' && (inImage || has('ffmpeg'));
  await using stack = new AsyncDisposableStack();
  const start = async (): Promise<Sandbox | Services> => {
    const image = hasDisplay ? { image: DESKTOP_IMAGE } : {};
    if (inImage) return Sandbox.start({ ...image, env: { BROWSER_START_MODE: 'auto', ...env } });
    const browser = stack.use(await TestBrowser.start());
    const worker = hasDisplay ? stack.use(await WorkerProcess.start()) : undefined;
    const display = worker ? { SVC_COMPUTER_USE_URL: worker.url } : {};
    return Services.start({ BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port), ...display, ...env });
  };
  const { url } = stack.use(await start());
  const started = stack.move();
  return { url, key, hasDisplay, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
