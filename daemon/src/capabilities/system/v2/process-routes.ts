import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { signalField } from '../../../http/signal-field.ts';
import { type ListedProcess, PAGE_MAX } from '../processes/process-service.ts';
import type { SystemService } from '../system-service.ts';

const tags = ['system'];
/** What a pid can be at most, of any system. */
const PID_MAX = 2 ** 31 - 1;
const Pid = z
  .int()
  .min(1)
  .max(PID_MAX)
  .meta({ examples: [PID_MAX] });
const PidParams = z.object({ pid: queryNumber(Pid) });
const start_ticks = z
  .int()
  .min(0)
  .meta({ description: 'Start after boot in 10 ms; with the pid it names one process.' });

const ProcessesQuery = z.object({
  after: queryNumber(
    z
      .int()
      .min(0)
      .max(2 ** 31 - 1),
  )
    .prefault(0)
    .meta({ description: 'Only higher pids: next_after.' }),
  limit: queryNumber(z.int().min(1).max(PAGE_MAX)).prefault(PAGE_MAX),
});

const ProcessInfo = z
  .object({
    pid: z.int(),
    parent: z.int().meta({ description: 'Pid of its parent; 0: none.' }),
    user: z.string().meta({ description: 'Its account, or the number of one without a name.' }),
    state: z
      .string()
      .meta({ description: 'Of proc(5): R runs, S sleeps, D waits for a device, T is stopped, Z has ended.' }),
    name: z.string(),
    command: z
      .string()
      .meta({ description: 'Its arguments, the first 1,024 bytes; its name in brackets without any.' }),
    cpu_seconds: z.number(),
    memory_bytes: z.int(),
    threads: z.int(),
    started_at: z.iso.datetime(),
    start_ticks,
    protected: z.boolean().meta({ description: 'Of the service, which does not signal it.' }),
  })
  .meta({ id: 'SystemProcess' });

const ProcessList = z
  .object({ processes: z.array(ProcessInfo), next_after: z.int().nullable() })
  .meta({ id: 'SystemProcessList' });

const SignalBody = z
  .object({ start_ticks: start_ticks.meta({ description: 'As listed.' }), signal: signalField('SIGTERM') })
  .meta({ id: 'SystemSignalRequest', example: { start_ticks: 4711 } });

const Signalled = z.object({ pid: z.int(), signal: z.string() }).meta({ id: 'SystemProcessSignalled' });

export function processRoutesV2(app: App, { processes }: SystemService): void {
  app.get('/system/processes', {
    schema: {
      tags,
      operationId: 'listSystemProcesses',
      summary: 'List processes by pid',
      description: 'Those of the account of the service; of every account if that is root.',
      querystring: ProcessesQuery,
      response: { 200: envelopeOf(ProcessList), ...V2_ERRORS, 429: ErrorBody, 501: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ query: { after, limit } }) => {
      const page = await processes.list(after, limit);
      const data = { processes: page.processes.map(processData), next_after: page.nextAfter };
      return ok(data, `${page.processes.length} processes`);
    },
  });

  app.post('/system/processes/:pid/signal', {
    schema: {
      tags,
      operationId: 'signalSystemProcess',
      summary: 'Signal one process',
      params: PidParams,
      body: SignalBody,
      response: {
        200: envelopeOf(Signalled),
        ...V2_ERRORS,
        409: ErrorBody,
        429: ErrorBody,
        501: ErrorBody,
        503: ErrorBody,
      },
    },
    handler: async ({ params, body: { start_ticks, signal } }) => {
      await processes.signal(params.pid, start_ticks, signal);
      return ok({ pid: params.pid, signal }, `${signal} was sent to process ${params.pid}`);
    },
  });
}

function processData(process: ListedProcess): z.input<typeof ProcessInfo> {
  const { pid, parent, user, state, name, command, threads } = process;
  return {
    pid,
    parent,
    user,
    state,
    name,
    command: command ?? `[${name}]`,
    cpu_seconds: process.cpuSeconds,
    memory_bytes: process.memory,
    threads,
    started_at: process.startedAt.toISOString(),
    start_ticks: process.startTicks,
    protected: process.isProtected,
  };
}
