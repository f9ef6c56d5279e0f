import { expect, test } from 'vitest';
import { heldMemory } from '../../../../scripts/testing/held-memory.ts';
import { OPEN } from './credential.ts';
import { noTickets } from './tickets.fixture.ts';

test('[ticket.expiry] a ticket past its ttl is refused', () => {
  const store = noTickets();
  const { ticket, expiresAt } = store.issue({ pathPrefix: '/', ttl: 30, uses: 2 }, OPEN, 1_000_000);
  expect(expiresAt.getTime()).toBe(1_030_000);
  expect(store.spend(ticket, '/x', 1_029_999)).toMatchObject({ pathPrefix: '/' });
  expect(store.spend(ticket, '/x', 1_030_000)).toBeUndefined();
});

test('so many tickets that they fill the memory are refused until some expire', () => {
  const store = noTickets();
  for (let i = 0; i < 10_000; i += 1) store.issue({ pathPrefix: '/', ttl: 10, uses: 1 }, OPEN, 0);
  expect(() => store.issue({ pathPrefix: '/', ttl: 10, uses: 1 }, OPEN, 5000)).toThrow(/tickets are valid already/);
  expect(store.issue({ pathPrefix: '/', ttl: 10, uses: 1 }, OPEN, 10_000).ticket).not.toBe('');
});

test('[limits.ticket-memory] expired tickets do not stay in memory', () => {
  const store = noTickets();
  const issue = (seconds: number): string => {
    const pathPrefix = Buffer.alloc(8000, '/').toString();
    return store.issue({ pathPrefix, ttl: 10, uses: 1 }, OPEN, seconds * 1000).ticket;
  };
  const before = heldMemory();
  for (let seconds = 0; seconds < 9000; seconds += 1) issue(seconds);
  // All 9,000 would take 72 MB.
  expect(heldMemory() - before).toBeLessThan(10 * 1024 ** 2);
  expect(store.has(issue(9001))).toBe(true);
});

test.each([
  ['/v2/fs/download?path=/a&x=1&ticket=T', true],
  ['/v2/fs/download?ticket=T&x=1&path=/a', true],
  ['/v2/fs/download?path=/b&x=1&ticket=T', false],
  ['/v2/fs/download?path=/a&ticket=T', false],
  ['/v2/fs/download?path=/a&x=1&y=2&ticket=T', false],
  ['/v2/fs/download?path=/a&x=1&path=/b&ticket=T', false],
  ['/v2/fs/download?path=/a&x=1&ticket=T&ticket=other', false],
  ['/v2/fs/download?path=/a&x=1&ticket=T#&path=/b', false],
  ['/v2/fs/download/?path=/a&x=1&ticket=T', false],
  ['/v2/fs/read?path=/a&x=1&ticket=T', false],
])('[ticket.target] a ticket for one target is good for %s: %s', (target, isGood) => {
  const store = noTickets();
  const { ticket } = store.issue({ target: '/v2/fs/download?path=/a&x=1', ttl: 30, uses: 1 }, OPEN);
  expect(store.spend(ticket, target.replace('=T', `=${ticket}`)) !== undefined).toBe(isGood);
});

test('[ticket.target] a target may be written as a browser would correct it, and with a parameter `ticket` of its own', () => {
  const store = noTickets();
  const { ticket } = store.issue({ target: '/proxy/3000/a b?q=é&ticket=own', ttl: 30, uses: 1 }, OPEN);
  expect(store.spend(ticket, `/proxy/3000/a%20b?ticket=own&q=%C3%A9&ticket=${ticket}`)).toMatchObject({
    credential: {},
  });
});
