import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { Admission } from '../exchange/admission.ts';
import { queryWithout } from '../exchange/admission.ts';
import { appHeaders, publicPrefix } from '../exchange/app-headers.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { sendError } from '../exchange/responses.ts';
import type { Address } from '../net/address.ts';
import { UploadAgent } from '../net/upload-agent.ts';
import type { ProxyTarget } from '../relay/proxy-target.ts';
import { relayStreamed } from '../relay/streamed.ts';
import { relayUpgrade } from '../relay/upgrade.ts';
import { rewriteHeaders } from './rewrite-headers.ts';
import { redirectToSlash } from './slash-redirect.ts';

/** How one application is served below its prefix. */
export interface EditorKind {
  readonly service: string;
  readonly prefix: string;
  /** `stripped`: the application serves the root. `kept`: the application is configured with the prefix. */
  readonly paths: 'stripped' | 'kept';
  /** `client`: the application compares `Origin` with the client's `Host`. `localhost`: it accepts local names only. */
  readonly host: 'client' | 'localhost';
  /** The variable that enables it when set to `false`. */
  readonly variable: string;
}

export const CODE_SERVER: EditorKind = {
  service: 'code-server',
  prefix: GATEWAY_PATHS.codeServer,
  paths: 'stripped',
  host: 'client',
  variable: 'DISABLE_CODE_SERVER',
};

export const JUPYTER: EditorKind = {
  service: 'JupyterLab',
  prefix: GATEWAY_PATHS.jupyter,
  paths: 'kept',
  host: 'localhost',
  variable: 'DISABLE_JUPYTER',
};

/** An application of the image without authentication of its own: the daemon's access decision protects it. */
export class Editor implements Disposable {
  readonly kind: EditorKind;
  readonly #address: Address | undefined;
  readonly #agent = new UploadAgent({ keepAlive: false });

  /** @param address undefined if the application is disabled */
  constructor(kind: EditorKind, address: Address | undefined) {
    this.kind = kind;
    this.#address = address;
  }

  get address(): Address | undefined {
    return this.#address;
  }

  handle(exchange: Exchange, admission: Admission): void {
    const { service, prefix, variable } = this.kind;
    if (!this.#address) {
      sendError(exchange, 404, {
        message: `${service} is off`,
        hint: `start the sandbox with ${variable}=false`,
      });
    } else if (exchange.target.path === prefix) {
      redirectToSlash(exchange, admission);
    } else if (isBuiltInProxy(exchange.target.path.slice(prefix.length))) {
      sendError(exchange, 404, {
        message: `${service} serves no ports here`,
        hint: 'open /proxy/{port}/ of the sandbox instead',
      });
    } else {
      const proxyTarget = this.#proxyTarget(exchange, admission, this.#address);
      if (isUpgrade(exchange)) relayUpgrade(exchange, proxyTarget);
      else relayStreamed(exchange, proxyTarget);
    }
  }

  #proxyTarget(exchange: Exchange, admission: Admission, to: Address): ProxyTarget {
    const { service, paths, host: expectedHost } = this.kind;
    const { path, query } = exchange.target;
    const host = expectedHost === 'localhost' ? 'localhost' : undefined;
    const prefix = publicPrefix(exchange) + this.kind.prefix;
    const form = paths === 'stripped' ? 'path' : 'absolute';
    const { cookies, frameRule: policy } = admission;
    const rewrite = { requestId: exchange.requestId, cookies, host, policy };
    return {
      service,
      to,
      agent: this.#agent,
      path: (paths === 'stripped' ? path.slice(this.kind.prefix.length) : path) + queryWithout(query, admission),
      headers: [...appHeaders(exchange, admission, host), 'X-Forwarded-Prefix', prefix],
      responseHeaders: (raw) => rewriteHeaders(raw, { form, prefix }, rewrite),
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** code-server proxies any port below `/proxy` and `/absproxy`, in any case and percent-encoding. */
function isBuiltInProxy(path: string): boolean {
  const first = path.split(/(?:\/|%2f|\\|%5c)+/i).find((segment) => segment !== '' && segment !== '.');
  let name = first ?? '';
  try {
    name = decodeURIComponent(name);
  } catch {
    // A name that is not percent-encoded is compared as it stands.
  }
  return /^(?:abs)?proxy$/i.test(name);
}
