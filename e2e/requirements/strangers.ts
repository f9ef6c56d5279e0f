import { type Requirement, section } from './requirement.ts';

export const STRANGERS: readonly Requirement[] = [
  ...section('docs/limits.md', {
    'connection.health': 'health checks of this machine are answered beyond every limit of connections',
    'connection.address':
      'connections without a valid credential are counted per address; a new one takes the place of the oldest that waits for a request head, else it is refused with a hint',
    'connection.reserve': 'at the ceiling of connections, clients of the same machine still get in',
    'connection.flood':
      'thousands of connections without a key from one or from many addresses shut out neither other addresses, nor clients with a key, nor the health check',
    'connection.fair': 'pipelined requests of some connections do not delay the requests of others',
  }),
];
