import { expect, test } from 'vitest';
import { addressTest, isAddressBlock } from './trusted-proxies.ts';

test('the prefix length of a network must fit its address family', () => {
  expect(['10.0.0.0/32', '::/128', '::1', 'loopback'].every(isAddressBlock)).toBe(true);
  expect(['10.0.0.0/33', '::/129', '10.0.0.0/', 'x/8', '', 'private'].some(isAddressBlock)).toBe(false);
});

test('an address matches a block of its family, also as an IPv4-mapped address', () => {
  const isKnown = addressTest(['loopback', '10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
  expect(['127.9.9.9', '::1', '10.255.0.1', '192.0.2.7', '::ffff:10.1.1.1', 'fd12::1'].every(isKnown)).toBe(true);
  expect(['11.0.0.1', '192.0.2.8', '::2', 'fe80::1', '', 'localhost'].some(isKnown)).toBe(false);
});
