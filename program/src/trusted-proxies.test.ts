import { expect, test } from 'vitest';
import { addressTest, forwardedPrefix, isAddressBlock, proxyTrust } from './trusted-proxies.ts';

test('the prefix length of a network must fit its address family', () => {
  expect(['10.0.0.0/32', '::/128', '::1', 'loopback'].every(isAddressBlock)).toBe(true);
  expect(['10.0.0.0/33', '::/129', '10.0.0.0/', 'x/8', '', 'private'].some(isAddressBlock)).toBe(false);
});

test('an address matches a block of its family, also as an IPv4-mapped address', () => {
  const isKnown = addressTest(['loopback', '10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
  expect(['127.9.9.9', '::1', '10.255.0.1', '192.0.2.7', '::ffff:10.1.1.1', 'fd12::1'].every(isKnown)).toBe(true);
  expect(['11.0.0.1', '192.0.2.8', '::2', 'fe80::1', '', 'localhost'].some(isKnown)).toBe(false);
});

test('the nearest hop from this machine is the gateway, and further hops need an entry', () => {
  const trusts = proxyTrust(['172.16.0.0/12'], '10.0.0.5');
  expect(['127.0.0.1', '::ffff:127.0.0.1', '::1', '10.0.0.5', '172.17.0.1'].every((address) => trusts(address))).toBe(
    true,
  );
  expect(trusts('10.0.0.6')).toBe(false);
  expect(['127.0.0.1', '10.0.0.5', '172.17.0.1'].map((address) => trusts(address, 1))).toEqual([false, false, true]);
  expect(proxyTrust([], '0.0.0.0')('10.0.0.5')).toBe(false);
});

test.each([
  ['/box', '/box'],
  [' /a/b/ , /c', '/a/b'],
  ['/', ''],
  ['//evil.example', ''],
  ['box', ''],
  ['/x?y', ''],
  [undefined, ''],
  [['/a', '/b'], '/a'],
  [`/${'/'.repeat(50_000)}`, ''],
])('X-Forwarded-Prefix %j is the prefix %j', (header, prefix) => {
  expect(forwardedPrefix(header)).toBe(prefix);
});
