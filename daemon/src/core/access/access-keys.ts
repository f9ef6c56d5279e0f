import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { concealSecret, type Logger } from '@sandbox/program/logger.ts';
import { z } from 'zod';
import { readSmallFile, versionOf } from '../files/small-file.ts';
import { replaceFile } from '../records/replace-file.ts';
import type { Credential } from './credential.ts';
import { isScope } from './scopes.ts';

const MAX_KEYS = 1000;
const MAX_BYTES = 1024 * 1024;
const SECRET_BYTES = 32;

const Line = z
  .strictObject({
    name: z.string().regex(/^[\w.@-]{1,64}$/, 'expected 1 to 64 letters, digits or any of . _ @ -'),
    key: z
      .string()
      .regex(/^[\x21-\x7e]{8,4096}$/, 'expected 8 to 4,096 visible ASCII characters')
      .optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'expected 64 hexadecimal digits')
      .optional(),
    scopes: z
      .array(z.string().refine(isScope, 'expected all, mcp, read, view, files:/path or files-read:/path'))
      .min(1)
      .max(100),
    expires_at: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(({ key, sha256 }) => (key === undefined) !== (sha256 === undefined), 'expected either key or sha256');

/** A key that has a name. */
export interface AccessKey {
  readonly id: string;
  readonly name: string;
  /** Of requests with the key. */
  readonly credential: Credential;
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly sha256: string;
  /** The key itself, if the file has it. */
  readonly key: string | undefined;
  /** Milliseconds of the wall clock. */
  readonly expiresAt: number;
}

/** The keys of SVC_ACCESS_KEYS_FILE, which is read again when it was changed or replaced. */
export class AccessKeys {
  readonly #path: string;
  readonly #logger: Logger;
  #version: string | undefined;
  #all: readonly AccessKey[] = [];
  #valid: readonly AccessKey[] = [];
  #complaint: string | undefined;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** Why the file as it stands is not in force; undefined if it is. */
  get complaint(): string | undefined {
    return this.#complaint;
  }

  /** The keys that are valid now: the same array as long as they are the same. A file with a fault changes nothing. */
  current(): readonly AccessKey[] {
    this.#read();
    const now = Date.now();
    const valid = this.#all.filter(({ expiresAt }) => expiresAt > now);
    const isSame = valid.length === this.#valid.length && valid.every((key, index) => key === this.#valid[index]);
    if (!isSame) this.#valid = valid;
    return this.#valid;
  }

  #read(): void {
    const version = this.#look();
    if (version === this.#version) return;
    this.#version = version;
    try {
      if (version === undefined) throw new Error('it cannot be found');
      this.#all = readAccessKeys(this.#path);
      this.#complaint = undefined;
      for (const { key } of this.#all) if (key !== undefined) concealSecret(key);
      this.#logger.info({ keys: this.#all.map(({ name }) => name) }, 'the file of access keys was read');
    } catch (error) {
      this.#complaint = `${this.#path}: ${error instanceof Error ? error.message : error}`;
      this.#logger.error({ reason: this.#complaint }, 'the access keys of before stay valid');
    }
  }

  #look(): string | undefined {
    try {
      return versionOf(this.#path);
    } catch {
      return undefined;
    }
  }
}

/** @throws the system's error, or one that names the line, and no key */
export function readAccessKeys(path: string): AccessKey[] {
  return parseAccessKeys(readSmallFile(path, MAX_BYTES));
}

/** @throws Error that names the line, and no key */
export function parseAccessKeys(text: string): AccessKey[] {
  const keys = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [keyOf(line, index + 1)]));
  if (keys.length > MAX_KEYS) throw new Error(`it has ${keys.length} keys; at most ${MAX_KEYS} are possible`);
  const seen = new Set<string>();
  for (const { name, sha256 } of keys) {
    if (seen.has(name)) throw new Error(`two keys have the name ${name}`);
    if (seen.has(sha256)) throw new Error(`the key of ${name} has another name too`);
    seen.add(name).add(sha256);
  }
  return keys;
}

function keyOf(line: string, number: number): AccessKey {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    throw new Error(`line ${number} is not JSON`);
  }
  const parsed = Line.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`line ${number}: ${[...(issue?.path ?? [])].join('.') || 'the key'}: ${issue?.message}`);
  }
  const { name, key, scopes, expires_at } = parsed.data;
  const sha256 = parsed.data.sha256?.toLowerCase() ?? sha256Of(key ?? '');
  // A key with other scopes is another one.
  const digest = createHmac('sha256', sha256)
    .update(JSON.stringify([name, scopes.toSorted()]))
    .digest('base64url');
  const expiresAt = expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
  const id = `k.${digest.slice(0, 22)}`;
  const credential = { ids: [id], name, ...(!scopes.includes('all') && { scopes }) };
  return { id, name, credential, sha256, key, expiresAt };
}

export function sha256Of(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Path of the secret that signs the cookies of named keys. */
export function cookieSecretPath(directory: string): string {
  return join(directory, 'cookie-secret');
}

/** The secret of a runtime directory, made at the first call. @throws the system's error */
export function cookieSecret(directory: string): Buffer {
  const path = cookieSecretPath(directory);
  try {
    const secret = readFileSync(path);
    if (secret.length === SECRET_BYTES) return secret;
  } catch {
    // There is none yet.
  }
  const secret = randomBytes(SECRET_BYTES);
  replaceFile(path, secret, { sync: true });
  return secret;
}
