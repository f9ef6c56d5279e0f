import type { Admission } from '../auth.ts';
import { answerRefusal } from '../exchange/answers.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { ownHeaders, publicPrefix, queryWithout } from '../exchange/own-headers.ts';
import { UploadAgent } from '../net/upload-agent.ts';
import type { ProxyTarget } from '../relay/proxy-target.ts';
import { relayStreamed } from '../relay/streamed.ts';
import { relayUpgrade } from '../relay/upgrade.ts';
import { movedHeaders } from './preview-answer.ts';
import type { PreviewTarget } from './preview-port.ts';
import { answerSlash } from './slash.ts';

/** A page of its own origin: it sees neither this one's cookies nor what the browser keeps for it. */
const ISOLATED = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

export interface PreviewRules {
  readonly previewPath: 'open' | 'isolated' | 'off';
  /** The product's own, refused even to who has the key. */
  readonly isOwnPort: (port: number) => boolean;
}

/** Shows what listens on a port of this machine's loopback, and nothing else. */
export class Previews implements Disposable {
  readonly #rules: PreviewRules;
  /** No connection is kept: what listens may be replaced at any time by something else. */
  readonly #agent = new UploadAgent({ keepAlive: false });

  constructor(rules: PreviewRules) {
    this.#rules = rules;
  }

  /** Answers a request that the daemon has let through. */
  answer(exchange: Exchange, preview: PreviewTarget, admission: Admission): void {
    const { port, form, prefix, path } = preview;
    if (port === undefined) {
      answerRefusal(exchange, 400, { message: 'the port of a preview is a whole number from 1 to 65535' });
    } else if (this.#rules.isOwnPort(port)) {
      answerRefusal(exchange, 403, {
        message: `port ${port} is one of the sandbox's own and is not previewed`,
        hint: 'the API, /cdp and /vnc are the ways to them',
      });
    } else if (this.#rules.previewPath === 'off' && prefix !== '') {
      answerRefusal(exchange, 403, {
        message: 'previews by path are off',
        hint: `open http://${port}.localhost or the name ${port}-<host>, or set SVC_PREVIEW_PATH`,
      });
    } else if (form === 'path' && path === '' && !isUpgrade(exchange)) {
      answerSlash(exchange, admission);
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
    const headers = ownHeaders(exchange, admission, host);
    if (prefix !== '') headers.push('X-Forwarded-Prefix', prefix);
    const policy = preview.form !== 'host' && this.#rules.previewPath === 'isolated' ? ISOLATED : undefined;
    return {
      service: `port ${port}`,
      to: { host: 'localhost', port },
      agent: this.#agent,
      path: (preview.path || '/') + queryWithout(target.query, admission),
      headers,
      answered: (raw) => movedHeaders(raw, { form: preview.form, prefix }, { requestId, cookies, host, policy }),
      absentHint: `start what is to be seen on 127.0.0.1:${port}, then repeat the request`,
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
