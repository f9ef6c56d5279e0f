import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MEMORY_SETTINGS } from './memory-settings.ts';

test.each(['images/bin/sandboxd', 'supervisord/start/gateway'])(
  '%s starts its service with the same setting',
  (path) => {
    const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    expect(text).toContain(`export GLIBC_TUNABLES="\${GLIBC_TUNABLES:-${MEMORY_SETTINGS.GLIBC_TUNABLES}}"\n`);
  },
);
