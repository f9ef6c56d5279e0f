import { describe, test } from 'vitest';
import { type Sandbox, type SandboxOptions, sharedSandbox } from './sandbox.ts';

/** Values of variables, and the checks of their effects in one container that has all of them. */
export interface Group extends SandboxOptions {
  readonly title: string;
  readonly rows: readonly (readonly [title: string, see: (sandbox: Sandbox) => Promise<void>])[];
}

/** Starts one container for each group; each of its rows is a test. */
export function describeGroups(groups: readonly Group[]): void {
  describe.each(groups)('$title', ({ rows, title: _title, ...options }) => {
    const sandbox = sharedSandbox(options);
    test.each(rows)('%s', (_row, see) => see(sandbox()));
  });
}
