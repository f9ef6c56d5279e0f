import type { FastifySerializerCompiler } from 'fastify';
import { safeEncode, type z } from 'zod';

/**
 * How answers become JSON. Checking each one against its schema costs an eighth of the request rate and could only
 * turn a good answer into a 500, so the tests do it for every route and a deployment does not.
 */
export function makeSerializer(validate: boolean): FastifySerializerCompiler<z.ZodType> {
  return validate ? checked : () => JSON.stringify;
}

const checked: FastifySerializerCompiler<z.ZodType> = ({ schema, method, url }) => {
  return (answer) => {
    const result = safeEncode(schema, answer);
    if (result.success) return JSON.stringify(result.data);
    throw new TypeError(`the answer of ${method} ${url} does not fit its schema: ${result.error.message}`);
  };
};
