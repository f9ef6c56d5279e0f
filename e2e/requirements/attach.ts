import { type Requirement, section } from './requirement.ts';

export const ATTACH: readonly Requirement[] = [
  ...section('docs/commands.md', {
    'cmd.run-stream': 'a run with Accept application/x-ndjson sends started, output with offsets, and exit in one call',
    'cmd.run-stream-events': 'server-sent events of a run and of an output have the JSON of the NDJSON lines as data',
    'cmd.run-stream-refused':
      'a refused run is a plain error before the stream; a failed start is an exit with a message',
    'cmd.run-stream-leaves': 'a streamed command continues when its client leaves, and an idempotency key finds it',
  }),
];
