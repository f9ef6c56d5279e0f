import process from 'node:process';
import { Sandbox } from '../images/sandbox.ts';
import { Services } from '../services.ts';

export interface StartedService extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
}

/** The gateway and the daemon: in a container of the image with `CLIENTS_IN=image`, else on this machine. */
export async function startedServices(key: string): Promise<StartedService> {
  const env = key === '' ? {} : { SVC_API_KEY: key };
  const started = process.env['CLIENTS_IN'] === 'image' ? await Sandbox.start({ env }) : await Services.start(env);
  return { url: started.url, key, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}
