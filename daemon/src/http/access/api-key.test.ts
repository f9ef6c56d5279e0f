import { expect, test } from 'vitest';
import { ApiKey } from './api-key.ts';

test('[auth.constant-time] keys are compared as digests of their bytes, not as strings', () => {
  // UTF-8 encodes a lone surrogate as U+FFFD, so the two keys are equal as bytes and different as strings.
  expect(new ApiKey('key\ud83d').matches('key\ufffd')).toBe(true);
  for (const wrong of ['', 'k', 'ke', 'kez', 'key2', 'k'.repeat(5000)]) {
    expect(new ApiKey('key').matches(wrong)).toBe(false);
  }
});
