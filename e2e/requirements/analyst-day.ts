import { type Requirement, section } from './requirement.ts';

export const ANALYST_DAY: readonly Requirement[] = [
  ...section('docs/code.md', {
    'code.day': 'twenty cells of a working day run in a fresh place, without magic or preparation, by every route',
    'code.refused-install':
      'a refused installation (PEP 668) is shown with a hint that names a virtual environment, by every route',
    'code.missing-package':
      'a Python package that is missing here and that the data image has is named with a hint, by every route',
    'code.own-venv': 'the virtual environment in ~/.venv, if it has ipykernel, runs Python unless another is activated',
    'code.stream-order':
      'what a program of a cell wrote to a stream is before what the cell prints, shows or raises after it',
    'code.kernelspec-list': 'jupyter kernelspec list works in the images',
  }),
];
