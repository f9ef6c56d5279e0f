import { imageName } from '@sandbox/program/product.ts';

/** Modules of the data layer of the images, by which programs import them, and their names for pip. */
export const DATA_PACKAGES: ReadonlyMap<string, string> = new Map([
  ['ipywidgets', 'ipywidgets'],
  ['matplotlib', 'matplotlib'],
  ['numpy', 'numpy'],
  ['openpyxl', 'openpyxl'],
  ['pandas', 'pandas'],
  ['PIL', 'pillow'],
  ['scipy', 'scipy'],
]);

/** As an ImportError has it, with quotes, and as `python -m` writes it at the end of a line, in a terminal too. */
const MISSING = /No module named (?:'(\w+)'|(\w+)\r?$)/gm;

/** Where to get a module that Python did not find, if the data image has it; null for any other output. */
export function missingPackageHint(output: string): string | null {
  for (const [, imported, started] of output.matchAll(MISSING)) {
    const name = DATA_PACKAGES.get(imported ?? started ?? '');
    if (name === undefined) continue;
    return `${name} is not installed here: pip install ${name}, or use the image ${imageName('data')} (npm run images data), which has it`;
  }
  return null;
}
