import { type Requirement, section } from './requirement.ts';

/** The ends of interpreters, input of cells, and the working day of an analyst. */
export const CODE_INPUT: readonly Requirement[] = [
  ...section('docs/contract.md §5', {
    'code.exit-handlers':
      'exit handlers, open files and children of an interpreter end with it in order; an endless handler is killed',
  }),
];
