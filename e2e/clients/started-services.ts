import process from 'node:process';
import { TestBrowser } from '../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { Sandbox } from '../images/sandbox.ts';
import { Services } from '../services.ts';

export interface StartedService extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
}

/** The gateway and the daemon: in a container of the image with `CLIENTS_IN=image`, else on this machine. */
export async function startedServices(key: string): Promise<StartedService> {
  const env = key === '' ? {} : { SVC_API_KEY: key };
  await using stack = new AsyncDisposableStack();
  const start = async (): Promise<Sandbox | Services> => {
    if (process.env['CLIENTS_IN'] === 'image') return Sandbox.start({ env: { BROWSER_START_MODE: 'auto', ...env } });
    const browser = stack.use(await TestBrowser.start());
    return Services.start({ BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port), ...env });
  };
  const { url } = stack.use(await start());
  const started = stack.move();
  return { url, key, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
