import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { OptionError } from '@sandbox/program/options.ts';
import { z } from 'zod';
import { readSmallFile } from '../../files/small-file.ts';

const OPTION = 'SVC_CLAIM_PUBLIC_KEY_FILE (--claim-public-key-file)';
const MAX_KEY_BYTES = 64 * 1024;
/** Characters of a compact JWS; the longest statement has about 1,000. */
const MAX_CHARACTERS = 8192;
/** Seconds from the making of a statement to its expiry. */
const MAX_LIFE = 60;
/** Seconds by which the clock of the signer may be ahead. */
const MAX_AHEAD = 5;
/** RFC 7515, 7.1: header, payload and signature in base64url without padding. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

const Header = z.object({ alg: z.literal('EdDSA'), crit: z.never().optional() });
const Statement = z.object({
  pod_uid: z.string(),
  host: z.string(),
  jti: z.string().min(1).max(256),
  iat: z.int(),
  exp: z.int(),
  body_sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits'),
});

export type ClaimStatement = z.output<typeof Statement>;

/** What a statement is compared with. */
export interface ClaimPlace {
  readonly podUid: string;
  readonly host: string;
  /** Milliseconds of the epoch at which this daemon started: a statement of before is of no use after a restart. */
  readonly startedAt: number;
}

/** @throws OptionError if the file has no Ed25519 public key in PEM */
export function readClaimKey(path: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey(readSmallFile(path, MAX_KEY_BYTES));
  } catch (error) {
    const reason = error instanceof Error ? ('code' in error ? error.code : error.message) : error;
    throw new OptionError(`${OPTION}: ${path} is not a public key in PEM (${reason})`);
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new OptionError(`${OPTION}: ${path} has a key of type ${key.asymmetricKeyType}, expected ed25519`);
}

/**
 * The statement of a compact JWS (RFC 7515) signed with Ed25519 (RFC 8037).
 * @throws SandboxError `unauthorized` unless it is signed by the key, for this pod, and valid now
 */
export function verifiedStatement(jws: string, key: KeyObject, place: ClaimPlace): ClaimStatement {
  const parts = jws.length > MAX_CHARACTERS ? null : COMPACT.exec(jws);
  if (parts === null) throw refused('the claim is not a compact JWS');
  const [, header = '', payload = '', signature = ''] = parts;
  if (!Header.safeParse(jsonOf(header)).success) throw refused('the header of the claim does not have "alg":"EdDSA"');
  const isSigned = verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
  if (!isSigned) throw refused('the signature of the claim is not of the key of SVC_CLAIM_PUBLIC_KEY_FILE');
  const { success, data, error } = Statement.safeParse(jsonOf(payload));
  if (!success) {
    const [issue] = error.issues;
    throw refused(`${issue?.path.join('.') || 'the payload'} of the claim: ${issue?.message}`);
  }
  requirePlace(data, place);
  requireTime(data, place.startedAt);
  return data;
}

/** @throws SandboxError `unauthorized` */
export function requireBody({ body_sha256: expected }: ClaimStatement, digest: string): void {
  if (digest === expected) return;
  throw refused('the claim is signed for another request body: body_sha256 is the SHA-256 of its bytes');
}

function requirePlace(statement: ClaimStatement, { podUid, host }: ClaimPlace): void {
  if (statement.pod_uid !== podUid) throw refused(`the claim is signed for another pod: pod_uid here is ${podUid}`);
  if (statement.host !== host) throw refused(`the claim is signed for another host: host here is ${host}`);
}

function requireTime({ iat, exp }: ClaimStatement, startedAt: number): void {
  const now = Date.now() / 1000;
  if (exp <= iat || exp - iat > MAX_LIFE) throw refused(`exp of the claim is not within ${MAX_LIFE} s after its iat`);
  if (iat > now + MAX_AHEAD) throw refused('iat of the claim is in the future: compare the clocks');
  if (exp <= now) throw refused('the claim has expired');
  if (iat < Math.floor(startedAt / 1000)) throw refused('the claim was signed before this service started');
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function refused(message: string): SandboxError {
  return new SandboxError('unauthorized', message, {
    hint: 'sign a new statement for this pod with the private key of the pool; docs/sandbox.md has its fields',
  });
}
