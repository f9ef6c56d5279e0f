import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixingProxy extends AsyncDisposable {
  /** Address of the service under the prefix. */
  readonly url: string;
}

/** A reverse proxy that has the service under a path prefix, which it removes. */
export async function startPrefixingProxy(target: string, prefix: string): Promise<PrefixingProxy> {
  const { hostname, port } = new URL(target);
  // It closes no connection: a client in the same busy process would use one before it has seen the end.
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    if (!req.url?.startsWith(`${prefix}/`)) return void res.writeHead(404).end();
    const headers = { ...endToEnd(req.headers), 'x-forwarded-prefix': prefix };
    const path = req.url.slice(prefix.length);
    const passed = request({ hostname, port, path, method: req.method, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(res);
    });
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}${prefix}`, [Symbol.asyncDispose]: stop };
}

/** Fields of a connection concern one hop (RFC 9110 §7.6.1): how long it may be idle among them. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _, 'keep-alive': _idle, 'transfer-encoding': _coding, ...others } = headers;
  return others;
}
