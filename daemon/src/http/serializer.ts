import type { FastifySerializerCompiler } from 'fastify';
import { createSerializerCompiler } from 'fastify-type-provider-zod';
import type { z } from 'zod';

/**
 * How answers become JSON. Checking each one against its schema costs an eighth of the request rate and could only
 * turn a good answer into a 500, so the tests do it for every route and a deployment does not.
 */
export function makeSerializer(validate: boolean): FastifySerializerCompiler<z.ZodType> {
  return validate ? createSerializerCompiler({}) : () => (value) => JSON.stringify(value);
}
