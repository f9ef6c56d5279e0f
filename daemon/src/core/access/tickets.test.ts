import { expect, test } from 'vitest';
import { TicketStore } from './tickets.ts';

test('[ticket.expiry] a ticket past its ttl is refused', () => {
  const store = new TicketStore();
  const { ticket, expiresAt } = store.issue({ pathPrefix: '/', ttl: 30, uses: 2 }, 1_000_000);
  expect(expiresAt.getTime()).toBe(1_030_000);
  expect(store.spend(ticket, '/x', 1_029_999)).toBe('/');
  expect(store.spend(ticket, '/x', 1_030_000)).toBeUndefined();
});

test('so many tickets that they fill the memory are refused until some expire', () => {
  const store = new TicketStore();
  for (let i = 0; i < 10_000; i += 1) store.issue({ pathPrefix: '/', ttl: 10, uses: 1 }, 0);
  expect(() => store.issue({ pathPrefix: '/', ttl: 10, uses: 1 }, 5000)).toThrow(/tickets are valid already/);
  expect(store.issue({ pathPrefix: '/', ttl: 10, uses: 1 }, 10_000).ticket).not.toBe('');
});
