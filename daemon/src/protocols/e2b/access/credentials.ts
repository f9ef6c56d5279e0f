import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Credential, OwnAdmission } from '../../../core/access/credential.ts';
import type { Sandboxes, SandboxRecord } from '../state/sandboxes.ts';
import type { Addressed } from './plane.ts';
import { isSignature, isToken, type Purpose, type SignedOperation, tokenOf } from './tokens.ts';

interface CredentialTerms {
  readonly sandboxes: Sandboxes;
  /** Of the keys that are valid, by the ids of the keys. */
  readonly keys: () => ReadonlyMap<string, Credential>;
  readonly signatureSeconds: number;
}

/** A token that is good, and the key that it was given to. */
interface GoodToken {
  readonly token: string;
  readonly credential: Credential;
}

/** Judges the credentials that the protocol gives: they open what belongs to one sandbox alone, as long as the key of their holder is valid. */
export class Credentials {
  readonly #terms: CredentialTerms;

  constructor(terms: CredentialTerms) {
    this.#terms = terms;
  }

  /** What opens a request without a key of the service; `unknown`: it names a sandbox that is not alive. */
  judge(req: IncomingMessage, address: Addressed): OwnAdmission | 'unknown' {
    const { plane, path, sandboxId } = address;
    if (plane === 'control') return undefined;
    if (sandboxId !== undefined && !this.#terms.sandboxes.find(sandboxId)) return 'unknown';
    if (path === '/health' && plane === 'envd') return 'public';
    return this.#credentialOf(req, address);
  }

  /** The key whose traffic token of a sandbox, of the named one if the request names any, opens a port of this machine. */
  opensPreview(headers: IncomingHttpHeaders): Credential | undefined {
    const sandboxId = textOf(headers['e2b-sandbox-id']);
    const traffic = textOf(headers['e2b-traffic-access-token']);
    const tokens = this.#sandboxesOf({ sandboxId }).flatMap((sandbox) => this.#tokens(sandbox, 'traffic'));
    return tokens.find(({ token }) => isToken(traffic, token))?.credential;
  }

  #credentialOf(req: IncomingMessage, address: Addressed): Credential | undefined {
    const { plane } = address;
    const access = textOf(req.headers['x-access-token']);
    const traffic = textOf(req.headers['e2b-traffic-access-token']);
    for (const sandbox of this.#sandboxesOf(address)) {
      const envd = this.#tokens(sandbox, 'envd');
      const found =
        envd.find(({ token }) => isToken(access, token)) ??
        (plane === 'interpreter'
          ? this.#tokens(sandbox, 'traffic').find(({ token }) => isToken(traffic, token))
          : envd.find(({ token }) => this.#isSigned(req, address, token, sandbox)));
      if (found) return found.credential;
    }
    return undefined;
  }

  /** Of a service without a key: `/init` may have set a token, which envd then wants. */
  meetsInit(req: IncomingMessage, address: Addressed): boolean {
    const { accessToken } = this.#terms.sandboxes.init;
    if (accessToken === null || address.plane !== 'envd' || address.path === '/health') return true;
    if (isToken(textOf(req.headers['x-access-token']), accessToken)) return true;
    return this.#isSigned(req, address, accessToken, undefined) || this.#credentialOf(req, address) !== undefined;
  }

  /** The tokens of a sandbox for the holder of a key. @throws SandboxError `not_found`, `disk_full` */
  giveTokens(id: string, keyId: string): { readonly envdAccessToken: string; readonly trafficAccessToken: string } {
    const sandbox = this.#terms.sandboxes.giveTo(id, keyId);
    return {
      envdAccessToken: tokenOf(sandbox, 'envd', keyId),
      trafficAccessToken: tokenOf(sandbox, 'traffic', keyId),
    };
  }

  #isSigned(req: IncomingMessage, address: Addressed, token: string, of: SandboxRecord | undefined): boolean {
    const { plane, path, query } = address;
    if (path !== '/files' || plane !== 'envd') return false;
    const operation = signedOperation(req.method, query);
    if (!operation || !isSignature(operation, token, Date.now() / 1000)) return false;
    if (operation.expiration !== undefined || of === undefined) return true;
    return this.#terms.sandboxes.unusedSeconds(of) < this.#terms.signatureSeconds;
  }

  #sandboxesOf({ sandboxId }: Pick<Addressed, 'sandboxId'>): readonly SandboxRecord[] {
    const { sandboxes } = this.#terms;
    if (sandboxId === undefined) return sandboxes.list();
    const named = sandboxes.find(sandboxId);
    return named ? [named] : [];
  }

  #tokens(sandbox: SandboxRecord, purpose: Purpose): GoodToken[] {
    const valid = this.#terms.keys();
    return sandbox.keys.flatMap((keyId) => {
      const credential = valid.get(keyId);
      return credential ? [{ token: tokenOf(sandbox, purpose, keyId), credential }] : [];
    });
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
