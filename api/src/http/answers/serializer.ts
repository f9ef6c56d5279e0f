import { jsonText } from '@sandbox/program/json-text.ts';
import type { FastifySerializerCompiler } from 'fastify';
import { safeEncode, type z } from 'zod';

/**
 * Serializes responses to JSON. Validating each response against its schema costs an eighth of the request rate and can
 * only turn a usable response into a 500, so tests validate and deployments do not.
 */
export function makeSerializer(validate: boolean): FastifySerializerCompiler<z.ZodType> {
  return validate ? checked : () => jsonText;
}

const checked: FastifySerializerCompiler<z.ZodType> = ({ schema, method, url }) => {
  return (answer) => {
    const result = safeEncode(schema, answer);
    if (result.success) return jsonText(result.data) ?? '';
    throw new TypeError(`the response of ${method} ${url} does not match its schema: ${result.error.message}`);
  };
};
