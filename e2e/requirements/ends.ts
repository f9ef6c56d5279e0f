import { type Requirement, section } from './requirement.ts';

export const ENDS: readonly Requirement[] = [
  ...section('docs/code.md, Sessions and cells without one', {
    'cell.timeout-hint': 'the answer of a cell that its timeout ended says how to run longer',
  }),
];
