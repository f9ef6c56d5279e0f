import type { LightMyRequestResponse } from 'fastify';
import type { TestApp } from '../../app.fixture.ts';

type Method = 'GET' | 'POST' | 'DELETE';

/** A call of a route, and the words that a failure shows. */
export interface RouteCall {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly body?: object;
}

const post = (path: string, body: object = {}): RouteCall => ({ name: `POST ${path}`, method: 'POST', path, body });
const get = (path: string): RouteCall => ({ name: `GET ${path}`, method: 'GET', path });

/** A call of each route that asks the page of a tab, with deadlines of a second where a call may set one. */
export function pageCalls(tab_id: string, url: string): readonly RouteCall[] {
  const timeout = 1;
  return [
    post('navigate', { tab_id, url, timeout }),
    { ...get(`screenshot?tab_id=${tab_id}`), name: 'GET screenshot' },
    post('snapshot', { tab_id }),
    post('click', { tab_id, selector: 'button', timeout }),
    post('fill', { tab_id, selector: 'input', value: 'x', timeout }),
    post('upload', { tab_id, selector: '#file', paths: ['/etc/hostname'], timeout }),
    post('evaluate', { tab_id, expression: 'document.title', timeout }),
    post('wait', { tab_id, selector: 'button', timeout }),
    post('cdp', { tab_id, method: 'Runtime.evaluate', params: { expression: '1' }, timeout }),
    post('actions', { tab_id, action_type: 'MOVE_TO', x: 5, y: 5 }),
  ];
}

/** A call of each route that asks the browser. */
export function browserCalls(tab_id: string): readonly RouteCall[] {
  return [
    get('tabs'),
    post('tabs'),
    { ...post(`tabs/${tab_id}/activate`), name: 'POST tabs/{id}/activate' },
    { name: 'DELETE tabs/{id}', method: 'DELETE', path: `tabs/${tab_id}` },
    get('cookies'),
    post('cookies', { cookies: [{ name: 'a', value: '1', url: 'http://127.0.0.1/' }] }),
    { name: 'DELETE cookies', method: 'DELETE', path: 'cookies' },
    get('info'),
    post('config', { resolution: { width: 800, height: 600 } }),
  ];
}

export interface Answered {
  readonly name: string;
  readonly status: number;
  readonly success: unknown;
  readonly hint: unknown;
  readonly message: unknown;
  /** Seconds. */
  readonly took: number;
}

/** Makes the call; a picture counts as a success. */
export async function answerTo(daemon: TestApp, { name, method, path, body }: RouteCall): Promise<Answered> {
  const begun = performance.now();
  const request = { method, url: `/v2/browser/${path}`, ...(body && { payload: body }) };
  const response: LightMyRequestResponse = await daemon.inject(request);
  const took = (performance.now() - begun) / 1000;
  const isPicture = response.headers['content-type'] === 'image/png';
  const { success, hint, message } = isPicture ? { success: true } : response.json();
  return { name, status: response.statusCode, success, hint, message, took };
}
