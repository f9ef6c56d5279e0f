import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { callerName } from '../../../core/access/caller.ts';
import type { AccessTerms } from '../../../core/access/late-binding.ts';
import type { Sandboxes, SandboxRecord } from '../state/sandboxes.ts';
import type { Addressed } from './plane.ts';
import { isSignature, isToken, type SignedOperation, tokenOf } from './tokens.ts';

interface CredentialTerms {
  readonly sandboxes: Sandboxes;
  /** Who gets in, as of now. */
  readonly access: () => AccessTerms;
  readonly signatureSeconds: number;
}

/** Judges the credentials that the protocol gives: they open what belongs to one sandbox alone. */
export class Credentials {
  readonly #terms: CredentialTerms;

  constructor(terms: CredentialTerms) {
    this.#terms = terms;
  }

  /** Whether the request needs no key of the service; `unknown`: it names a sandbox that is not alive. */
  judge(req: IncomingMessage, address: Addressed): 'admitted' | 'unknown' | 'refused' {
    const { plane, path, sandboxId } = address;
    if (plane === 'control') return 'refused';
    if (sandboxId !== undefined && !this.#terms.sandboxes.find(sandboxId)) return 'unknown';
    if (path === '/health' && plane === 'envd') return 'admitted';
    return this.#isCredentialed(req, address) ? 'admitted' : 'refused';
  }

  /** Whether the traffic token of a sandbox, of the named one if the request names any, opens a port of this machine. */
  opensPreview(headers: IncomingHttpHeaders): boolean {
    const sandboxId = textOf(headers['e2b-sandbox-id']);
    const traffic = textOf(headers['e2b-traffic-access-token']);
    return this.#sandboxesOf({ sandboxId }).some((sandbox) => isToken(traffic, this.#token(sandbox, 'traffic')));
  }

  #isCredentialed(req: IncomingMessage, address: Addressed): boolean {
    const { plane } = address;
    const candidates = this.#sandboxesOf(address);
    const access = textOf(req.headers['x-access-token']);
    const traffic = textOf(req.headers['e2b-traffic-access-token']);
    return candidates.some(
      (sandbox) =>
        isToken(access, this.#token(sandbox, 'envd')) ||
        (plane === 'interpreter' && isToken(traffic, this.#token(sandbox, 'traffic'))) ||
        (plane === 'envd' && this.#isSigned(req, address, this.#token(sandbox, 'envd'), sandbox)),
    );
  }

  /** Of a service without a key: `/init` may have set a token, which envd then wants. */
  meetsInit(req: IncomingMessage, address: Addressed): boolean {
    const { accessToken } = this.#terms.sandboxes.init;
    if (accessToken === null || address.plane !== 'envd' || address.path === '/health') return true;
    if (isToken(textOf(req.headers['x-access-token']), accessToken)) return true;
    return this.#isSigned(req, address, accessToken, undefined) || this.#isCredentialed(req, address);
  }

  /**
   * The caller becomes the holder if the key of the one before has ended.
   * @throws SandboxError `unauthorized` if the key of the caller has ended too, `not_found`, `disk_full`
   */
  tokensOf(sandbox: SandboxRecord): { readonly envdAccessToken: string; readonly trafficAccessToken: string } {
    const isHeld = this.#token(sandbox, 'envd') !== undefined;
    const held = isHeld ? sandbox : this.#terms.sandboxes.setHolder(sandbox.id, callerName());
    const [envdAccessToken, trafficAccessToken] = [this.#token(held, 'envd'), this.#token(held, 'traffic')];
    if (envdAccessToken === undefined || trafficAccessToken === undefined) {
      throw new SandboxError('unauthorized', 'the key of this request is no longer valid');
    }
    return { envdAccessToken, trafficAccessToken };
  }

  #isSigned(
    req: IncomingMessage,
    { path, query }: Addressed,
    token: string | undefined,
    of: SandboxRecord | undefined,
  ): boolean {
    if (path !== '/files' || token === undefined) return false;
    const operation = signedOperation(req.method, query);
    if (!operation || !isSignature(operation, token, Date.now() / 1000)) return false;
    if (operation.expiration !== undefined || of === undefined) return true;
    return this.#terms.sandboxes.unusedSeconds(of) < this.#terms.signatureSeconds;
  }

  #sandboxesOf({ sandboxId }: Pick<Addressed, 'sandboxId'>): SandboxRecord[] {
    const { sandboxes } = this.#terms;
    if (sandboxId === undefined) return sandboxes.list();
    const named = sandboxes.find(sandboxId);
    return named ? [named] : [];
  }

  #token(sandbox: SandboxRecord, purpose: 'envd' | 'traffic'): string | undefined {
    return tokenOf(sandbox, purpose, this.#terms.access());
  }
}

function signedOperation(method: string | undefined, query: URLSearchParams): SignedOperation | undefined {
  const signature = query.get('signature');
  const operation = method === 'GET' || method === 'HEAD' ? 'read' : method === 'POST' ? 'write' : undefined;
  if (signature === null || operation === undefined) return undefined;
  return {
    operation,
    path: query.get('path') ?? '',
    user: query.get('username') ?? '',
    signature,
    expiration: query.get('signature_expiration') ?? undefined,
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
