import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { Admission } from '../auth.ts';
import { answerRefusal } from '../exchange/answers.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { ownHeaders, publicPrefix, queryWithout } from '../exchange/own-headers.ts';
import type { Address } from '../net/address.ts';
import { UploadAgent } from '../net/upload-agent.ts';
import type { ProxyTarget } from '../relay/proxy-target.ts';
import { relayStreamed } from '../relay/streamed.ts';
import { relayUpgrade } from '../relay/upgrade.ts';
import { movedHeaders } from './preview-answer.ts';
import { answerSlash } from './slash.ts';

/** What distinguishes one application that is served below a prefix from another. */
export interface EditorKind {
  readonly service: string;
  readonly prefix: string;
  /** `stripped`: it believes to be at the root. `kept`: it has been told its prefix. */
  readonly paths: 'stripped' | 'kept';
  /** `client`: it compares a page's `Origin` with the host that the client sees. `localhost`: it serves local names alone. */
  readonly host: 'client' | 'localhost';
  /** The variable that turns it on. */
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

/** An application of the image's that asks for no credential itself: the gate before it is the only one. */
export class Editor implements Disposable {
  readonly kind: EditorKind;
  readonly #address: Address | undefined;
  readonly #agent = new UploadAgent({ keepAlive: false });

  /** @param address undefined where it is off. */
  constructor(kind: EditorKind, address: Address | undefined) {
    this.kind = kind;
    this.#address = address;
  }

  get address(): Address | undefined {
    return this.#address;
  }

  answer(exchange: Exchange, admission: Admission): void {
    const { service, prefix, variable } = this.kind;
    if (!this.#address) {
      answerRefusal(exchange, 404, {
        message: `${service} is off`,
        hint: `start the sandbox with ${variable}=false`,
      });
    } else if (exchange.target.path === prefix) {
      answerSlash(exchange, admission);
    } else if (isProxyOfItsOwn(exchange.target.path.slice(prefix.length))) {
      answerRefusal(exchange, 404, {
        message: `${service} does not show ports here`,
        hint: 'open /proxy/{port}/ of the sandbox instead',
      });
    } else {
      const proxyTarget = this.#proxyTarget(exchange, admission, this.#address);
      if (isUpgrade(exchange)) relayUpgrade(exchange, proxyTarget);
      else relayStreamed(exchange, proxyTarget);
    }
  }

  #proxyTarget(exchange: Exchange, admission: Admission, to: Address): ProxyTarget {
    const { service, paths, host: shown } = this.kind;
    const { path, query } = exchange.target;
    const host = shown === 'localhost' ? 'localhost' : undefined;
    const prefix = publicPrefix(exchange) + this.kind.prefix;
    const form = paths === 'stripped' ? 'path' : 'absolute';
    const told = { requestId: exchange.requestId, cookies: admission.cookies, host };
    return {
      service,
      to,
      agent: this.#agent,
      path: (paths === 'stripped' ? path.slice(this.kind.prefix.length) : path) + queryWithout(query, admission),
      headers: [...ownHeaders(exchange, admission, host), 'X-Forwarded-Prefix', prefix],
      answered: (raw) => movedHeaders(raw, { form, prefix }, told),
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** code-server shows any port below two paths of its own, whose case and encoding it does not mind. */
function isProxyOfItsOwn(path: string): boolean {
  const first = path.split(/(?:\/|%2f|\\|%5c)+/i).find((segment) => segment !== '' && segment !== '.');
  let name = first ?? '';
  try {
    name = decodeURIComponent(name);
  } catch {}
  return /^(?:abs)?proxy$/i.test(name);
}
