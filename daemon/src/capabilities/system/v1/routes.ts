import { z } from 'zod';
import type { App } from '../../../http/app-types.ts';
import { envelopeOf, ok } from '../../../http/envelope.ts';

export function systemV1(app: App): void {
  app.get('/ping', {
    schema: {
      tags: ['system'],
      summary: 'Whether the service answers',
      security: [],
      response: { 200: envelopeOf(z.literal('pong')) },
    },
    handler: async () => ok('pong' as const, 'pong'),
  });
}
