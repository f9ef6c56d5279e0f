import { type Requirement, section } from './requirement.ts';

/** Cells behave as in a notebook. */
export const CODE_NOTEBOOK: readonly Requirement[] = [
  ...section('docs/contract.md §5', {
    'code.installed':
      'what was installed before a cell began is imported in running, new and restarted sessions, by every route',
    'code.installed-kinds': 'editable installs, namespace packages and another PYTHONUSERBASE are imported too',
    'code.installed-plain': 'Python without ipykernel imports what was installed since it began',
    'code.figures': 'each figure that is open at the end of a cell is a picture, once, without magic',
    'code.figures-late': 'figures are pictures however and whenever matplotlib was installed',
    'code.value-kinds': 'the outputs of each kind of value are those of the table in docs/code.md',
    'code.characters': 'a character whose bytes a program of a cell writes in two pieces is whole',
    'code.pagers': 'what a pager would show is on stdout; magics print no warning of missing packages',
    'code.exit':
      'exit() in a cell of Python ends its session in order with exit code 0; the next cell begins a new one',
    'code.nested-loops': 'asyncio.run works in a cell; run_until_complete names it',
  }),
];
