import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { TestSandbox } from '../client.fixture.ts';
import { ConnectionLost, OutcomeUnknown, Sandbox, SandboxError } from '../index.ts';

test('[client.gives-up] without a connection a call ends after its time', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const failed = await Sandbox.connect({ url, retryFor: 0.5 }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ConnectionLost);
  expect(failed).toMatchObject({
    message: expect.stringMatching(/for 0.5 s: .*ECONNREFUSED/),
    hint: expect.any(String),
  });
});

test('[client.unknown] a call that must not run twice is not repeated after a cut', async () => {
  await using it = await TestSandbox.start();
  await it.sandbox.files.write(`${it.directory}/a`, '1');
  it.proxy.cutAfter = 0;
  const moving = it.sandbox.files.move(`${it.directory}/a`, `${it.directory}/b`);
  await expect(moving).rejects.toBeInstanceOf(OutcomeUnknown);
  it.proxy.cutAfter = undefined;
  expect(await it.sandbox.files.exists(`${it.directory}/b`)).toBe(true);
});

test('[client.key] the key is sent, a wrong one is named, a ticket stands for it', async () => {
  await using it = await TestSandbox.start({ apiKey: 'correct-horse-battery' });
  expect((await it.sandbox.info()).version).toEqual(expect.any(String));
  const wrong = Sandbox.connect({ url: it.proxy.url, apiKey: 'wrong' });
  await expect(wrong).rejects.toMatchObject({ status: 401, hint: expect.any(String) });
  const { ticket } = await it.sandbox.ticket('/v2/', { uses: 10 });
  const visitor = await Sandbox.connect({ url: it.proxy.url, ticket });
  expect(await visitor.run('echo hi')).toMatchObject({ stdout: 'hi\n' });
});

test('[client.prefix] it works below the prefix of a proxy', async () => {
  await using it = await TestSandbox.start();
  const proxy = createServer((request, response) => {
    expect(request.url).toMatch(/^\/box\/7\/v2\//);
    response.writeHead(307, { location: `${it.proxy.url}${request.url?.slice(6)}` }).end();
  }).listen(0, '127.0.0.1');
  const { port } = await new Promise<AddressInfo>((resolve) =>
    proxy.once('listening', () => resolve(proxy.address() as AddressInfo)),
  );
  const behind = Sandbox.at({
    url: `http://127.0.0.1:${port}/box/7/`,
    fetch: async (url, init) => {
      const { headers } = await fetch(url, { ...init, redirect: 'manual' });
      return fetch(headers.get('location') ?? '', init);
    },
  });
  expect(await behind.run('echo behind')).toMatchObject({ stdout: 'behind\n' });
  expect(behind.url(3000)).toBe(`http://127.0.0.1:${port}/box/7/proxy/3000/`);
  proxy.close();
});

test.each(['ftp://x', 'localhost:8080', ''])('[client.url] %j is no address of a sandbox', (url) => {
  expect(() => Sandbox.at({ url })).toThrow('url is not an address of HTTP');
});

test('[client.secrets] a key or a password that cannot be sent is no part of an error', () => {
  const secret = 'correct-horse';
  for (const options of [
    { apiKey: `${secret}\n` },
    { apiKey: `${secret}€` },
    { headers: { 'x-proxy': `${secret}\r\n` } },
    { url: `http://user:${secret}@127.0.0.1:8080` },
    { url: `ftp://user:${secret}@127.0.0.1` },
  ]) {
    const outcome = ((): unknown => {
      try {
        return Sandbox.at(options);
      } catch (error) {
        return error;
      }
    })();
    expect(outcome).toBeInstanceOf(SandboxError);
    const { message, hint } = outcome as SandboxError;
    expect(`${message} ${hint}`).not.toContain(secret);
  }
});
