import { createHash } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { VERSION } from '@sandbox/api/version.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { z } from 'zod';
import { credentialsOf } from '../../../http/access/credentials.ts';
import type { SandboxService } from '../sandbox-service.ts';
import { capabilitiesData } from '../wire/capabilities.ts';
import { ClaimRequest, ClaimResult, claimData, claimOf } from '../wire/claim.ts';
import { PackagesQuery, SandboxActivity, SandboxInfo } from './schemas.ts';
import { activityData, infoData } from './wire.ts';

const tags = ['sandbox'];

export function sandboxV2(app: App, service: SandboxService): void {
  app.get('/sandbox', {
    schema: {
      tags,
      operationId: 'getSandbox',
      summary: 'Read what the sandbox is and has',
      description: 'The fields stand under `data` and beside it.',
      response: { 200: envelopeOf(SandboxInfo).extend(SandboxInfo.shape), ...V2_ERRORS },
    },
    handler: async () => {
      const [context, survey] = await Promise.all([service.context(), service.survey(false)]);
      const { uptime, labels } = service;
      const about = { version: VERSION, uptime, labels, capabilities: capabilitiesData(survey) };
      const info = infoData(context, about);
      return { ...ok(info, 'sandbox'), ...info };
    },
  });

  app.get('/sandbox/packages', {
    schema: {
      tags,
      operationId: 'listPackages',
      summary: 'List the installed packages of a language',
      querystring: PackagesQuery,
      response: { 200: envelopeOf(z.string()), ...V2_ERRORS, 503: ErrorBody },
    },
    handler: async ({ query: { lang } }) => ok(await service.packages(lang), `packages of ${lang}`),
  });

  app.get('/sandbox/activity', {
    schema: {
      tags,
      operationId: 'getActivity',
      summary: 'Whether the sandbox is in use, and by what',
      response: { 200: envelopeOf(SandboxActivity), ...V2_ERRORS },
    },
    handler: async () => {
      const activity = service.activity();
      return ok(activityData(activity), activity.state);
    },
  });

  const digests = new WeakMap<FastifyRequest, () => string>();
  app.post('/sandbox/claim', {
    schema: {
      tags,
      operationId: 'claimSandbox',
      summary: 'Claim a sandbox of a pool, once',
      description:
        '`Authorization: Bearer` carries the token of SVC_CLAIM_TOKEN_FILE, or a statement about this pod, signed with ' +
        'the private key of SVC_CLAIM_PUBLIC_KEY_FILE. A second claim answers 409.',
      security: [],
      body: ClaimRequest,
      response: { 200: envelopeOf(ClaimResult), ...V2_ERRORS, 409: ErrorBody, 503: ErrorBody },
    },
    preParsing: async (request, _reply, payload) => {
      // A caller without the credential does not learn whether the body is valid.
      service.requireProof({ credential: credentialOf(request.headers), bodyDigest: undefined });
      const { stream, digest } = digested(payload);
      digests.set(request, digest);
      return stream;
    },
    handler: async (request) => {
      const proof = { credential: credentialOf(request.headers), bodyDigest: digests.get(request)?.() };
      const claim = service.claim(proof, claimOf(request.body));
      return ok(claimData(claim), 'the sandbox is claimed');
    },
  });
}

function credentialOf(headers: Parameters<typeof credentialsOf>[0]): string | undefined {
  return credentialsOf(headers, '').headerKeys.find(({ field }) => field === 'authorization')?.value;
}

/** A request body of which the SHA-256 is known after its end, in hexadecimal digits. */
function digested(payload: RequestPayload): { stream: RequestPayload; digest: () => string } {
  const hash = createHash('sha256');
  const stream: Transform & RequestPayload = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      stream.receivedEncodedLength = (stream.receivedEncodedLength ?? 0) + chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  // The reader of the stream gets its errors.
  pipeline(payload, stream, ignore);
  return { stream, digest: () => hash.digest('hex') };
}
