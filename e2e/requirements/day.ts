import { type Requirement, section } from './requirement.ts';

export const DAY: readonly Requirement[] = [
  ...section('docs/limits.md', {
    'run.exec-limits':
      'an argument or a variable that is too long for the kernel is refused with 422 that names it, before the start',
  }),
  ...section('docs/code.md', {
    'js.installed': 'a cell finds the packages of npm in the home and of npm -g, also those installed while it runs',
    'code.session-limit': 'as many kernel sessions as fit into the memory limit are open at once, 5 to 16',
    'code.session-gives-way':
      'at the limit the idle session without a name that was used longest ago is closed; without one the answer is 429',
    'code.session-clock': 'a wall clock that jumps forward closes no session and drops no execution',
  }),
];
