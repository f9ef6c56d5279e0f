import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { type Config, readConfig } from '../../config.ts';
import { isMounted } from '../../core/access/claim/durable-directory.ts';
import { examine } from '../../core/doctor.ts';

const POD = '0b6f7c1e-3f0e-4d0e-9a35-5b7d6a1c2f00';
const KEY = 'key-of-the-signed-claim';
const BODY = JSON.stringify({ api_key: KEY, labels: { tenant: 'blue' } });
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const { privateKey: otherKey } = generateKeyPairSync('ed25519');

let directory: string;
let pool: Partial<Config>;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'signed-claim-'));
  const claimPublicKeyFile = join(directory, 'public.pem');
  writeFileSync(claimPublicKeyFile, publicKey.export({ type: 'spki', format: 'pem' }));
  pool = { claimPublicKeyFile, podUid: POD, claimAgain: true };
});

afterAll(() => rmSync(directory, { recursive: true }));

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A compact JWS with the claims of a statement about this pod, some of which `changes` replaces. */
function statement(changes: object = {}, key: KeyObject = privateKey, header: object = { alg: 'EdDSA' }): string {
  const [pod_uid, host, jti, iat] = [POD, hostname(), 'nonce-1', seconds()];
  const claims = { pod_uid, host, jti, iat, exp: iat + 60, body_sha256: sha256(BODY), ...changes };
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

function claim(daemon: TestApp, credential: string, payload = BODY) {
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  return daemon.inject({ method: 'POST', url: '/v2/sandbox/claim', headers, payload });
}

/** What `sandboxd doctor` says about the claim. */
async function checkOfClaim(changes: Partial<Config>) {
  const checks = await examine({ ...readConfig([], {}), ...pool, ...changes }, []);
  return checks.find(({ name }) => name === 'claim of the sandbox');
}

async function status(daemon: TestApp, key?: string): Promise<number> {
  return (await daemon.inject({ url: '/v2/commands', headers: key === undefined ? {} : { 'x-api-key': key } }))
    .statusCode;
}

describe('a claim by signature', () => {
  test('[claim.signed] is in force with its answer, and good once', async () => {
    await using daemon = await TestApp.start(pool);
    expect(await status(daemon)).toBe(401);
    const jws = statement();
    const answer = await claim(daemon, jws);
    expect([answer.statusCode, answer.json().data]).toMatchObject([200, { has_key: true, labels: { tenant: 'blue' } }]);
    expect([await status(daemon), await status(daemon, KEY)]).toEqual([401, 200]);
    expect((await claim(daemon, jws)).statusCode).toBe(409);
  });

  test.each([
    ['another pod', () => statement({ pod_uid: 'other' }), /pod_uid here is/],
    ['another host', () => statement({ host: 'other' }), /host here is/],
    ['another body', () => statement({ body_sha256: sha256('{}') }), /another request body/],
    ['no nonce', () => statement({ jti: '' }), /jti of the claim/],
    ['a number of a nonce', () => statement({ jti: 7 }), /jti of the claim/],
    ['more than a minute', () => statement({ exp: seconds() + 61 }), /within 60 s/],
    ['an expiry of 2^53', () => statement({ exp: 2 ** 53 }), /exp/],
    ['an expiry before its making', () => statement({ exp: seconds() - 1 }), /within 60 s/],
    ['what has expired', () => statement({ iat: seconds() - 60, exp: seconds() - 1 }), /expired/],
    ['the future', () => statement({ iat: seconds() + 30, exp: seconds() + 60 }), /in the future/],
    ['a boot of before', () => statement({ iat: seconds() - 40, exp: seconds() + 10 }), /before this service started/],
    ['a fraction of a second', () => statement({ iat: seconds() + 0.5 }), /iat of the claim/],
    ['another key', () => statement({}, otherKey), /signature/],
    ['no algorithm', () => statement({}, privateKey, { alg: 'none' }), /EdDSA/],
    ['an HMAC', () => statement({}, privateKey, { alg: 'HS256' }), /EdDSA/],
    ['a critical header', () => statement({}, privateKey, { alg: 'EdDSA', crit: ['b64'], b64: false }), /EdDSA/],
    ['a changed payload', () => statement().replace(/\.[^.]+\./, `.${part({ pod_uid: POD })}.`), /signature/],
    ['no signature', () => statement().replace(/[^.]+$/, ''), /compact JWS/],
    ['two parts', () => 'a.b', /compact JWS/],
    ['a token', () => 'token-of-a-pool', /compact JWS/],
    ['a megabyte', () => 'a'.repeat(12_000), /compact JWS/],
  ])('[claim.signed] for %s is 401 that says why, and the sandbox stays free', async (_what, made, reason) => {
    await using daemon = await TestApp.start(pool);
    const answer = await claim(daemon, made());
    expect([answer.statusCode, answer.json().message, answer.json().hint]).toEqual([
      401,
      expect.stringMatching(reason),
      expect.stringMatching(/sign a new statement/),
    ]);
    expect((await claim(daemon, statement())).statusCode).toBe(200);
  });

  test('[claim.signed] is of no use to a sandbox that was restarted', async () => {
    const runtime = join(directory, 'restarted');
    const before = statement({ iat: seconds() - 1, exp: seconds() + 30 });
    await using daemon = await TestApp.start(pool, runtime);
    expect((await claim(daemon, before)).json().message).toMatch(/before this service started/);
  });

  test.each([
    ['a missing file', { claimPublicKeyFile: '/nowhere/public.pem' }, /^SVC_CLAIM_PUBLIC_KEY_FILE [^\n]*ENOENT/],
    ['a token beside it', { claimTokenFile: '/etc/hostname' }, /^SVC_CLAIM_PUBLIC_KEY_FILE, SVC_CLAIM_TOKEN_FILE/],
    ['no id of the pod', { podUid: undefined }, /needs SVC_POD_UID/],
  ])('[claim.signed] %s ends the boot in one line', async (_what, changes, reason) => {
    await expect(TestApp.start({ ...pool, ...changes })).rejects.toThrow(reason);
  });

  test('[claim.signed] a key of another kind ends the boot in one line', async () => {
    const path = join(directory, 'rsa.pem');
    const { publicKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(path, rsa.export({ type: 'spki', format: 'pem' }));
    await expect(TestApp.start({ ...pool, claimPublicKeyFile: path })).rejects.toThrow(/type rsa, expected ed25519/);
  });
});

/** A directory in the root file system, which a container has for itself. */
const unmounted = ['/var/tmp', '/opt', homedir()].find((path) => existsSync(path) && !isMounted(path)) ?? '/';

describe('the directory that keeps the claim', () => {
  test.each([
    ['signed claims', 'refused', { claimAgain: false }],
    ['signed claims that may be repeated', 'possibly', {}],
    ['Kubernetes', 'refused', { claimAgain: false, kubernetes: '10.96.0.1' }],
  ])('[claim.durable] without a mount, with %s a claim is %s', async (_what, expected, changes) => {
    const runtime = mkdtempSync(join(unmounted, 'unmounted-'));
    await using daemon = await TestApp.start({ ...pool, ...changes }, runtime);
    const answer = await claim(daemon, statement());
    expect(answer.statusCode).toBe(expected === 'refused' ? 503 : 200);
    const hint = expect.stringMatching(/mount a volume at .*SVC_CLAIM_AGAIN=true/);
    if (expected === 'refused') expect(answer.json()).toMatchObject({ message: /^no durable directory/, hint });
    expect(await checkOfClaim({ ...changes, runtimeDir: runtime })).toMatchObject({
      ok: false,
      required: expected === 'refused',
      hint: expect.stringMatching(/mount/),
    });
    rmSync(runtime, { recursive: true });
  });

  test('[claim.durable] on a mount it can be claimed, and doctor says so', async () => {
    const runtime = mkdtempSync('/dev/shm/mounted-');
    await using daemon = await TestApp.start({ ...pool, claimAgain: false, kubernetes: '10.96.0.1' }, runtime);
    expect((await claim(daemon, statement())).statusCode).toBe(200);
    expect(await checkOfClaim({ claimAgain: false, runtimeDir: runtime })).toMatchObject({ ok: true });
    rmSync(runtime, { recursive: true });
  });
});

test('[claim.lost] a claimed sandbox whose record is lost starts no more', async () => {
  const runtime = join(directory, 'lost');
  {
    await using daemon = await TestApp.start(pool, runtime);
    expect((await claim(daemon, statement())).statusCode).toBe(200);
  }
  rmSync(join(runtime, 'claim.json'));
  await expect(TestApp.start(pool, runtime)).rejects.toThrow(/^the sandbox was claimed, and its claim [^\n]* is lost/);
});
