import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Services } from '../services.ts';

const KEY = 'open-sesame-7';
const OWN = 'own-of-the-application';

/** An application that keeps every byte it receives and answers each request. */
class Application implements AsyncDisposable {
  readonly #server = createServer((socket) => this.#serve(socket));
  received = '';

  static async start(): Promise<Application> {
    const application = new Application();
    application.#server.listen(0, '127.0.0.1');
    await once(application.#server, 'listening');
    return application;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #serve(socket: Socket): void {
    socket.setEncoding('latin1').on('error', () => {});
    socket.on('data', (text: string) => {
      this.received += text;
      if (text.endsWith('\r\n\r\n')) socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nanswer');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Sends a request head to the gateway; resolves with the complete answer. */
async function send(services: Services, target: string, fields: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(services.url).port), '127.0.0.1').setEncoding('latin1');
  const head = [`GET ${target} HTTP/1.1`, ...fields, 'Connection: close', '', ''];
  socket.write(head.join('\r\n'));
  let answer = '';
  for await (const text of socket) answer += text;
  return answer;
}

/** The text and everything that percent-decoding or base64 hides in it. */
function revealed(text: string): string {
  const decode = (form: string): string =>
    form.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const encoded = [...text.matchAll(/[\w+/=]{12,}/g)].map(([form]) => Buffer.from(form, 'base64').toString('latin1'));
  return [text, decode(text), decode(decode(text)), ...encoded].join('\n');
}

test('[preview.no-credential] an application sees no credential of the service in any form, and all of its own', async () => {
  await using services = await Services.start({ SVC_API_KEY: KEY });
  await using application = await Application.start();
  const answer = await fetch(`${services.url}/v2/tickets`, {
    method: 'POST',
    headers: { 'x-api-key': KEY },
    body: JSON.stringify({ path_prefix: `/proxy/${application.port}`, uses: 20 }),
  });
  const { ticket } = ((await answer.json()) as { data: { ticket: string } }).data;
  const page = `/proxy/${application.port}/page`;
  const opened = await send(services, `${page}?api_key=${KEY}`, ['Host: localhost', 'Accept: text/html']);
  const cookie = /Set-Cookie: (svc_session[^;]+)/.exec(opened)?.[1] ?? '';
  expect(cookie).not.toBe('');

  const basic = Buffer.from(`user:${KEY}`).toString('base64');
  const keyAsHex = [...KEY].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
  for (const query of [
    `api_key=${KEY}`,
    `api%5Fkey=${KEY}`,
    `api_key=${keyAsHex}`,
    `x=1;api_key=${KEY};y=2`,
    `api_key=wrong&api_key=${KEY}`,
    `ticket=${OWN}&ticket=${ticket}`,
    `x=1;%74icket=${ticket}`,
    `next=${encodeURIComponent(`/?api_key=${KEY}`)}`,
  ]) {
    for (const fields of [
      [],
      [`X-API-Key: ${OWN}`, `X-API-Key: ${KEY}`],
      [`X-API-Key: ${KEY}`, `x-api-key: ${KEY}`],
      [`X-API-Key: ${OWN}, ${KEY}`, `X-SVC-API-Key: ${KEY}`, `X-AIO-API-Key: ${KEY}`],
      [`Authorization: Bearer ${OWN}`, `Authorization: bearer   ${KEY}`],
      [`Authorization: Basic ${basic}`],
      [`Referer: http://localhost${page}?api_key=${KEY}`],
      [`Referer: http://localhost${page}?next=${encodeURIComponent(`/?ticket=${ticket}`)}`],
      [`X-Forwarded-Uri: ${page}?api_key=${KEY}`, `Sec-WebSocket-Protocol: ${OWN}, ${KEY}`],
      [`Cookie: api_key=${KEY}`],
    ]) {
      application.received = '';
      const got = await send(services, `${page}?${query}`, ['Host: localhost', `Cookie: ${cookie}; own=1`, ...fields]);
      expect([query, fields, got.slice(0, 12)]).toEqual([query, fields, 'HTTP/1.1 200']);
      expect(application.received).toMatch(/^GET \/page[? ]/);
      for (const secret of [KEY, ticket, cookie]) expect(revealed(application.received)).not.toContain(secret);
      if (query.includes(OWN)) expect(application.received).toContain(`ticket=${OWN}`);
    }
  }

  application.received = '';
  const own = [
    'Cookie: own=1',
    `X-API-Key: ${OWN}`,
    `Authorization: Bearer ${OWN}`,
    `Referer: http://h/?ticket=${OWN}`,
  ];
  const target = `${page}?a=1;b&ticket=${OWN}&api_key=${OWN}&&%zz`;
  await send(services, target, ['Host: localhost', `Cookie: ${cookie}`, ...own]);
  expect(application.received).toContain(`GET /page?a=1;b&ticket=${OWN}&api_key=${OWN}&&%zz HTTP/1.1\r\n`);
  for (const field of own) expect(application.received).toContain(`${field}\r\n`);
});

test('[cookie.redirect] a path with two slashes is not a redirect to another host', async () => {
  await using services = await Services.start({ SVC_API_KEY: KEY });
  const { port } = new URL(services.url);
  for (const path of ['//evil.example/x', '/\\evil.example/x']) {
    const host = `3000.localhost:${port}`;
    const answer = await send(services, `${path}?api_key=${KEY}`, [`Host: ${host}`, 'Accept: text/html']);
    const location = /^Location: (.*)\r$/m.exec(answer)?.[1] ?? 'none';
    // As a browser reads the address of the request.
    const page = new URL(`http://${host}${path}?api_key=${KEY}`);
    expect(new URL(location, page)).toMatchObject({ host, pathname: page.pathname, search: '' });
  }
});
