import process from 'node:process';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { Sandbox } from '../../images/sandbox.ts';
import { Services } from '../../services.ts';

const ENVD_PORT = 49983;

export interface Endpoint extends AsyncDisposable {
  /** The public port. */
  readonly url: string;
  /** What E2B's users set. */
  readonly env: Record<string, string>;
}

/** The service with a listener for E2B's clients: in a container with `CLIENTS_IN=image`, else on this machine. */
export async function endpoint(key: string, options: Record<string, string> = {}): Promise<Endpoint> {
  const own = { ...options, ...(key !== '' && { SVC_API_KEY: key }) };
  const withUrls = (api: string, sandbox: string) => ({
    E2B_API_URL: api,
    E2B_SANDBOX_URL: sandbox,
    E2B_API_KEY: key || 'any',
  });
  if (process.env['CLIENTS_IN'] === 'image') {
    const env = { ...own, SVC_E2B_PORT: String(ENVD_PORT) };
    const sandbox = await Sandbox.start({ env, with: (container) => void container.withExposedPorts(ENVD_PORT) });
    const { hostname } = new URL(sandbox.url);
    return {
      url: sandbox.url,
      env: withUrls(`${sandbox.url}/compat/e2b`, `http://${hostname}:${sandbox.container.getMappedPort(ENVD_PORT)}`),
      [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
    };
  }
  const port = await freePort();
  const services = await Services.start({ ...own, SVC_E2B_PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  return {
    url: services.url,
    env: withUrls(key === '' ? url : `${services.url}/compat/e2b`, url),
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}
