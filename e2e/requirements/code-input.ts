import { type Requirement, section } from './requirement.ts';

/** The ends of interpreters, input of cells, and the working day of an analyst. */
export const CODE_INPUT: readonly Requirement[] = [
  ...section('docs/contract.md §5', {
    'code.exit-handlers':
      'exit handlers, open files and children of an interpreter end with it in order; an endless handler is killed',
    'code.input-answered': 'a prompt of a cell is reported and takes one answer; a second one is 409',
    'code.input-ahead': 'stdin of the request answers prompts in their order',
    'code.input-none': 'input without an answer raises an error that names both ways, by every route',
    'code.input-restart': 'a prompt that waits is answered after a restart of the daemon',
  }),
];
