import { missingPackageHint } from './missing-package.ts';

const OWN = '~/.venv, and new sessions and cells of Python run in it';

/** Parts of refusals to install a Python package (PEP 668 and the tool's own), and what to do. */
const REFUSALS: readonly (readonly [string, string])[] = [
  [
    'environment is externally managed',
    `this Python belongs to the system and takes no packages (PEP 668): python3 -m venv ~/.venv && ~/.venv/bin/pip install ipykernel PACKAGES installs into ${OWN}; or repeat pip with --break-system-packages`,
  ],
  [
    'is externally managed, and indicates the following',
    `this Python belongs to the system and takes no packages (PEP 668): uv venv ~/.venv && uv pip install --python ~/.venv ipykernel PACKAGES installs into ${OWN}; or repeat uv with --break-system-packages`,
  ],
  [
    'No virtual environment found; run `uv venv`',
    `uv venv ~/.venv && uv pip install --python ~/.venv ipykernel PACKAGES installs into ${OWN}`,
  ],
];

/**
 * What to do about a refused installation of Python packages, or about a missing package of the data image, among the
 * output of a program; null without one.
 */
export function installHint(output: string): string | null {
  return REFUSALS.find(([refusal]) => output.includes(refusal))?.[1] ?? missingPackageHint(output);
}
