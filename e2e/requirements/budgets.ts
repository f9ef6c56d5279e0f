import { type Requirement, section } from './requirement.ts';

export const BUDGETS: readonly Requirement[] = [
  ...section('docs/limits.md', {
    'exact.utf8': 'a JSON body, a form or a query that is not UTF-8 is 400, and nothing is written',
    'exact.surrogates': 'half of a surrogate pair in a JSON message is refused, on every interface',
    'exact.byte-order-mark': 'a byte order mark before a JSON body is ignored',
  }),
  ...section('docs/limits.md', {
    'documents.memory': 'documents of the service are sent from memory with an ETag; a client that has one gets 304',
  }),
  ...section('docs/mcp.md', {
    'mcp.batch-left': 'a call of a batch that has not begun when its client leaves does not begin',
  }),
  ...section('docs/sandbox.md', {
    'late.closed-restart':
      'a restart without the key file keeps the service closed until it is back; doctor and log say why',
  }),
];
