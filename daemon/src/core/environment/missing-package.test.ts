import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../../scripts/root.ts';
import { DATA_PACKAGES } from './missing-package.ts';
import { installHint } from './refused-install.ts';

const TRACEBACK = 'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n';

test.for([
  [`${TRACEBACK}ModuleNotFoundError: No module named 'pandas'\n`, 'pip install pandas,'],
  [`${TRACEBACK}\u001b[31mModuleNotFoundError\u001b[39m: No module named 'PIL'\n`, 'pip install pillow,'],
  ['/usr/bin/python3: No module named matplotlib\n', 'pip install matplotlib,'],
  ['/usr/bin/python3: No module named openpyxl\r\n', 'pip install openpyxl,'],
  ["No module named 'mine'\nNo module named 'scipy'\n", 'pip install scipy,'],
] as const)('[code.missing-package] of %j the hint says %s, and names the data image', ([output, way]) => {
  expect(installHint(output)).toMatch(new RegExp(`${way}.* sandbox-data `));
});

test.for([
  "ModuleNotFoundError: No module named 'pandas.missing'\n",
  "ModuleNotFoundError: No module named 'mine'\n",
  'No module named pandas was found\n',
  `No module named '${'p'.repeat(100_000)}`,
])('[code.missing-package] %.60j has no hint', (output) => {
  expect(installHint(output)).toBeNull();
});

test('[code.missing-package] the image has each package that a hint names', async () => {
  const dockerfile = await readFile(join(ROOT, 'images/Dockerfile'), 'utf8');
  for (const module of DATA_PACKAGES.keys())
    expect(dockerfile).toMatch(new RegExp(`python3-${module.toLowerCase()}\\b`));
});
