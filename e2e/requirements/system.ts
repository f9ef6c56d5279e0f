import { type Requirement, section } from './requirement.ts';

export const SYSTEM: readonly Requirement[] = [
  ...section('docs/system.md', {
    'system.processes':
      'GET /v2/system/processes has pid, parent, account, command, CPU, memory and start of each process',
    'system.account': 'a service that is not root lists and signals the processes of its own account alone',
    'system.pages': 'a page has at most limit processes, and next_after leads to the rest',
    'system.stuck': 'a process whose arguments cannot be read is listed by its name',
    'system.signal': 'POST /v2/system/processes/{pid}/signal signals that process alone',
    'system.refused': 'the service and a pid that was reused are not signalled',
    'system.elsewhere': 'on other systems than Linux the processes are 501 with a hint',
    'system.usage': 'GET /v2/system/usage has samples of CPU, memory, disk and network, 15 minutes of them at most',
  }),
];
