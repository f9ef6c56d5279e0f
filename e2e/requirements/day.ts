import { type Requirement, section } from './requirement.ts';

export const DAY: readonly Requirement[] = [
  ...section('docs/limits.md', {
    'run.exec-limits':
      'an argument or a variable that is too long for the kernel is refused with 422 that names it, before the start',
  }),
  ...section('docs/code.md', {
    'js.installed': 'a cell finds the packages of npm in the home and of npm -g, also those installed while it runs',
  }),
];
