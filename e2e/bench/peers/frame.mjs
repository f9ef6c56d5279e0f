// The framework of the daemon alone: a number of routes, each with a schema of its body and one of its answer.
import process from 'node:process';
import { fastify } from 'fastify';
import { z } from 'zod';

const [port, count] = process.argv.slice(2).map(Number);
const app = fastify();
app.setValidatorCompiler(({ schema }) => (value) => ({ value: schema.parse(value) }));
app.setSerializerCompiler(() => JSON.stringify);
for (let i = 0; i < count; i += 1) {
  app.post(`/area-${i % 11}/route-${i}`, {
    schema: {
      body: z.object({ name: z.string(), size: z.int().min(0).optional(), kind: z.enum(['a', 'b']).default('a') }),
      response: {
        200: z.object({ success: z.boolean(), message: z.string(), data: z.object({ name: z.string() }) }),
      },
    },
    handler: async ({ body }) => ({ success: true, message: 'done', data: body }),
  });
}
app.get('/health', async () => ({ status: 'healthy' }));
await app.listen({ port, host: '127.0.0.1' });
process.stdin.once('end', () => process.exit()).resume();
