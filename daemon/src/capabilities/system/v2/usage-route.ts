import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import type { SystemService } from '../system-service.ts';
import { SAMPLE_MS } from '../usage/usage-history.ts';

const bytes = z.int().min(0);
const rate = z.number().min(0).nullable().meta({ description: 'Bytes a second; null: not counted here.' });

const UsageSample = z
  .object({
    at: z.iso.datetime(),
    cpu: z.number().min(0).meta({ description: 'Processors, on average since the sample before.' }),
    memory: bytes,
    disk: bytes.nullable(),
    received: rate,
    sent: rate,
  })
  .meta({ id: 'SystemUsageSample', description: 'Sizes are bytes.' });

const Usage = z
  .object({
    of: z.enum(['container', 'machine']).meta({ description: 'Whose CPU and memory these are.' }),
    cpu_count: z.number(),
    memory_total: bytes,
    disk_total: bytes.nullable().meta({ description: 'Of the file system of /.' }),
    interval: z.number().meta({ description: 'Seconds between two samples.' }),
    samples: z.array(UsageSample).meta({ description: 'The last 15 minutes, the oldest first.' }),
  })
  .meta({ id: 'SystemUsage' });

export function usageRouteV2(app: App, { usage }: SystemService): void {
  app.get('/system/usage', {
    schema: {
      tags: ['system'],
      operationId: 'getSystemUsage',
      summary: 'Use of the last 15 minutes',
      description: 'CPU, memory, disk and network, a sample every five seconds.',
      response: { 200: envelopeOf(Usage), ...V2_ERRORS },
    },
    handler: async () => {
      const { of, cpu, memory, disk } = await usage.limits();
      const samples = usage.samples.map(({ at, ...figures }) => ({ at: at.toISOString(), ...figures }));
      const limits = { of, cpu_count: cpu.count, memory_total: memory.total, disk_total: disk?.total ?? null };
      return ok({ ...limits, interval: SAMPLE_MS / 1000, samples }, `${samples.length} samples`);
    },
  });
}
