import type { FastifyRequest } from 'fastify';
import type { PublicCaller } from '../../core/access/public-caller.ts';
import { credentialKindOf, credentialOf, publicBaseOf } from './guard.ts';

/** A query that already has a credential for links. */
const HAS_CREDENTIAL = /(?:^|&)(?:api_key|ticket)=/;

/** @param without fields of the query that are about this request alone */
export function publicCallerOf(request: FastifyRequest, without: readonly string[] = []): PublicCaller {
  const { secure: isSecure, base } = publicBaseOf(request);
  const given = request.raw.url?.split('?').slice(1).join('?') ?? '';
  const query = given
    .split('&')
    .filter((field) => !without.includes(field.split('=', 1)[0] ?? ''))
    .join('&');
  const needsTicket = credentialKindOf(request) === 'header' && !HAS_CREDENTIAL.test(query);
  return { isSecure, base, query, needsTicket, credential: credentialOf(request) };
}
