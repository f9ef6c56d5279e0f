import { type Requirement, section } from './requirement.ts';

export const ENDS: readonly Requirement[] = [
  ...section('docs/limits.md', {
    'place.wait': 'a call that finds all places taken waits for one, up to 10 s and its own timeout, before 429',
    'place.order': 'calls get places in order of arrival; one whose client left gets none',
  }),
  ...section('docs/code.md, Sessions and cells without one', {
    'cell.timeout-hint': 'the answer of a cell that its timeout ended says how to run longer',
  }),
  ...section('docs/commands.md, docs/terminals.md, docs/code.md', {
    'end.memory-guard':
      'with SVC_MEMORY_GUARD the largest command ends before the memory limit is reached, and its record says so',
    'end.memory-child':
      'a program that the memory limit killed is named by its command, exec, cell or tool, though the shell lived',
  }),
];
