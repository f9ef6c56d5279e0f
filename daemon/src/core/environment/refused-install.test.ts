import { expect, test } from 'vitest';
import { installHint } from './refused-install.ts';

const OF_PIP =
  'error: externally-managed-environment\n\n\u001b[31m×\u001b[0m This environment is externally managed\n╰─> Use apt\n';

/** As pip 23 and 25 and uv 0.13 write them. */
const REFUSALS: readonly (readonly [string, string])[] = [
  [OF_PIP, '~/.venv/bin/pip install'],
  ['error: The interpreter at `/usr` is externally managed, and indicates the following:\n\n  Use apt\n', 'uv venv'],
  ['error: No virtual environment found; run `uv venv` to create an environment, or pass `--system`\n', 'uv venv'],
];

test.for(REFUSALS)('[code.refused-install] of the refusal %j the hint names %s', ([output, way]) => {
  expect(installHint(`Collecting\n${output}done\n`)).toContain(way);
});

test('[code.refused-install] other output has no hint', () => {
  expect(installHint('Successfully installed cowsay-6.1\n')).toBeNull();
});
