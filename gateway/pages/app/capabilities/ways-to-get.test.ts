import { expect, test } from 'vitest';
import type { Capabilities } from './facts.ts';
import { partsOf } from './ways-to-get.ts';

const NOTHING: Capabilities = {
  files: false,
  exec: { pty: false, tmux: false, rg: false },
  code_interpreter: { python_kernels: [], node: false, missing: [] },
  browser: false,
  computer: { status: 'absent' },
};
const OFF = {
  applications: { desktop: 'stopped', 'code-server': 'off', jupyter: 'stopped', browser: 'stopped' },
} as const;

test('[app.missing] each part that is missing has a way to get it, kernels included', () => {
  const parts = partsOf(NOTHING, OFF);
  expect(parts.filter(({ has }) => has)).toEqual([]);
  expect(parts.filter(({ obtain }) => obtain.length === 0)).toEqual([]);
  const way = (name: string) => parts.find((part) => part.name === name)?.obtain.join(' ');
  expect(way('Python kernels')).toContain('pip install ipykernel');
  expect(way('VS Code (code-server)')).toContain('DISABLE_CODE_SERVER=false');
  expect(way('JupyterLab')).toContain('may still be starting');
});
