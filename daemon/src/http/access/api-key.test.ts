import { expect, test } from 'vitest';
import { ApiKey } from './api-key.ts';

test('[auth.constant-time] keys are compared as digests of their bytes, not as texts', () => {
  // UTF-8, which is hashed, has no half of a surrogate pair and writes U+FFFD for it; as texts the two differ.
  expect(new ApiKey('key\ud83d').matches('key\ufffd')).toBe(true);
  for (const wrong of ['', 'k', 'ke', 'kez', 'key2', 'k'.repeat(5000)]) {
    expect(new ApiKey('key').matches(wrong)).toBe(false);
  }
});
