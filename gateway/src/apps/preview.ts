import type { Admission } from '../exchange/admission.ts';
import { queryWithout } from '../exchange/admission.ts';
import { appHeaders, publicPrefix } from '../exchange/app-headers.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { sendError } from '../exchange/responses.ts';
import { UploadAgent } from '../net/upload-agent.ts';
import type { ProxyTarget } from '../relay/proxy-target.ts';
import { relayStreamed } from '../relay/streamed.ts';
import { relayUpgrade } from '../relay/upgrade.ts';
import type { PreviewTarget } from './preview-port.ts';
import { rewriteHeaders } from './rewrite-headers.ts';
import { redirectToSlash } from './slash-redirect.ts';

/** CSP that gives the page an opaque origin: it reads neither cookies nor storage of the gateway's origin. */
const ISOLATED = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

export interface PreviewRules {
  readonly previewPath: 'open' | 'isolated' | 'off';
  /** Ports of the product itself, refused even with the key. */
  readonly isOwnPort: (port: number) => boolean;
}

/** Proxies requests to ports of this machine's loopback only. */
export class Previews implements Disposable {
  readonly #rules: PreviewRules;
  /** Without keep-alive, because another program may listen on the port at any time. */
  readonly #agent = new UploadAgent({ keepAlive: false });

  constructor(rules: PreviewRules) {
    this.#rules = rules;
  }

  /** Handles a request that the daemon has admitted. */
  handle(exchange: Exchange, preview: PreviewTarget, admission: Admission): void {
    const { port, form, prefix, path } = preview;
    if (port === undefined) {
      sendError(exchange, 400, {
        message: 'the port of a preview must be a whole number from 1 to 65535',
        hint: 'open /proxy/{port}/, such as /proxy/3000/',
      });
    } else if (this.#rules.isOwnPort(port)) {
      sendError(exchange, 403, {
        message: `port ${port} belongs to the sandbox itself and is not previewed`,
        hint: 'use the API, /cdp or /vnc instead',
      });
    } else if (this.#rules.previewPath === 'off' && prefix !== '') {
      sendError(exchange, 403, {
        message: 'previews by path are off',
        hint: `open http://${port}.localhost or the host ${port}-<host>, or set SVC_PREVIEW_PATH`,
      });
    } else if (form === 'path' && path === '' && !isUpgrade(exchange)) {
      redirectToSlash(exchange, admission);
    } else {
      const proxyTarget = this.#proxyTarget(exchange, preview, port, admission);
      if (isUpgrade(exchange)) relayUpgrade(exchange, proxyTarget);
      else relayStreamed(exchange, proxyTarget);
    }
  }

  #proxyTarget(exchange: Exchange, preview: PreviewTarget, port: number, admission: Admission): ProxyTarget {
    const { requestId, target } = exchange;
    const { cookies } = admission;
    const host = `localhost:${port}`;
    const prefix = preview.prefix === '' ? '' : publicPrefix(exchange) + preview.prefix;
    const headers = appHeaders(exchange, admission, host);
    if (prefix !== '') headers.push('X-Forwarded-Prefix', prefix);
    const policy = preview.form !== 'host' && this.#rules.previewPath === 'isolated' ? ISOLATED : undefined;
    return {
      service: `port ${port}`,
      isPublic: admission.credential === undefined,
      to: { host: 'localhost', port },
      agent: this.#agent,
      path: (preview.path || '/') + queryWithout(target.query, admission),
      headers,
      responseHeaders: (raw) =>
        rewriteHeaders(raw, { form: preview.form, prefix }, { requestId, cookies, host, policy }),
      absentHint: `start a server on 127.0.0.1:${port}, then retry`,
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
