import { named } from '@sandbox/program/options.ts';
import { z } from 'zod';
import type { OwnAdmission } from '../../core/access/credential.ts';
import type { ProtocolCall, ProtocolRequest, ProtocolService } from '../../http/protocols/protocol.ts';
import { defineProtocol } from '../../protocol.ts';
import { QUOTATION } from '../quotation.fixture.ts';

/** How often the service was made, for tests of its first use. */
export const loads = { echo: 0 };

/** Answers what it was asked, in quotation marks; has a token of its own. */
class EchoService implements ProtocolService {
  readonly #quote: (text: string) => string;
  readonly #token: string;

  constructor(quote: (text: string) => string, token: string) {
    this.#quote = quote;
    this.#token = token;
  }

  admits({ req: { headers } }: ProtocolRequest): OwnAdmission {
    return headers['x-echo-token'] === this.#token ? 'public' : undefined;
  }

  async serve({ req, res, target, byKey }: ProtocolCall): Promise<void> {
    if (target === '/fail') throw new Error('a defect with a stack');
    let body = '';
    for await (const piece of req) body += String(piece);
    res.writeHead(200, { 'content-type': 'text/plain' });
    res.end(this.#quote(`${req.method} ${target} ${body} ${byKey}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export const echo = defineProtocol({
  name: 'echo',
  options: {
    echoToken: named(z.string().default('token-of-echo'), {
      env: 'TOY_ECHO_TOKEN',
      flag: 'toy-echo-token',
      description: 'Token of the toy.',
    }),
  },
  uses: [QUOTATION],
  refusal: ({ status, message }) => ({ contentType: 'text/plain', body: `echo ${status}: ${message}` }),
  load: async (_core, { echoToken }, ports) => {
    loads.echo += 1;
    return new EchoService(ports.get(QUOTATION) ?? ((text) => text), echoToken);
  },
  report: () => ({ port: null, level: 'whole', missing: [] }),
});
