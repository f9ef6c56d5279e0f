import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const DOMAIN = 'sandbox.test';
const EXTENSIONS = `basicConstraints=CA:FALSE\nsubjectAltName=DNS:*.${DOMAIN}\n`;
/** Headers of one connection, which HTTP/2 has not. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection']);

export interface TlsProxy extends AsyncDisposable {
  readonly port: number;
  /** File of the certificate that clients trust. */
  readonly authority: string;
  /** A file for /etc/hosts. */
  readonly hosts: string;
  /** Requests by their version of HTTP. */
  readonly versions: ReadonlyMap<string, number>;
}

/**
 * A proxy that ends TLS for `*.sandbox.test`, with HTTP/2 and HTTP/1.1, in front of a service.
 * @param labels first labels of the names in the file of hosts
 */
export async function startTlsProxy(serviceUrl: string, labels: readonly string[]): Promise<TlsProxy> {
  const directory = await mkdtempDisposable(join(tmpdir(), 'e2b-tls-'));
  const { authority, cert, key } = await makeCertificates(directory.path);
  const hosts = join(directory.path, 'hosts');
  await writeFile(
    hosts,
    ['localhost', ...labels.map((label) => `${label}.${DOMAIN}`)].map((name) => `127.0.0.1 ${name}\n`).join(''),
  );
  const versions = new Map<string, number>();
  const { hostname, port } = new URL(serviceUrl);
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (req, res) => {
    versions.set(req.httpVersion, (versions.get(req.httpVersion) ?? 0) + 1);
    forward(req, res, { hostname, port });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    authority,
    hosts,
    versions,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await directory.remove();
    },
  };
}

function forward(
  req: IncomingMessage | Http2ServerRequest,
  res: ServerResponse | Http2ServerResponse,
  service: { readonly hostname: string; readonly port: string },
): void {
  const host = String(req.headers[':authority'] ?? req.headers.host);
  const headers = Object.entries(req.headers).filter(([name]) => !name.startsWith(':') && !OF_CONNECTION.has(name));
  const path = `${host.startsWith('api.') ? '/compat/e2b' : ''}${req.url}`;
  const out = request({ ...service, method: req.method, path, headers: { ...Object.fromEntries(headers), host } });
  out.once('response', (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => !OF_CONNECTION.has(name));
    (res as ServerResponse).writeHead(answer.statusCode ?? 502, Object.fromEntries(kept));
    (res as ServerResponse).flushHeaders?.();
    pipeline(answer, res as ServerResponse, () => undefined);
  });
  out.once('error', () => res.destroy());
  res.once('close', () => out.destroy());
  pipeline(req, out, () => undefined);
}

async function makeCertificates(directory: string) {
  const at = (name: string): string => join(directory, name);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['req', '-x509', ...newKey, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=test'];
  await run('openssl', authority);
  await run('openssl', ['req', ...newKey, '-keyout', at('key.pem'), '-out', at('req.pem'), '-subj', `/CN=*.${DOMAIN}`]);
  await writeFile(at('ext'), EXTENSIONS);
  const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('ext')];
  await run('openssl', ['x509', '-req', '-in', at('req.pem'), '-out', at('cert.pem'), ...signing]);
  const [cert, key] = await Promise.all([readFile(at('cert.pem')), readFile(at('key.pem'))]);
  return { authority: at('ca.pem'), cert, key };
}
