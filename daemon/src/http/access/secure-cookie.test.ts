import { PAGES } from '@sandbox/program/pages.ts';
import { expect, test } from 'vitest';
import { noRevocations, noTickets } from '../../core/access/tickets.fixture.ts';
import { AgeClock } from '../../core/clock/age-clock.ts';
import { Gate } from './gate.ts';

test.each([
  [true, 'https', true],
  [true, 'http', false],
  [false, 'https', false],
])(
  'with a trusted peer: %s, and X-Forwarded-Proto: %s, the session cookie is Secure: %s',
  (trusted, proto, isSecure) => {
    const gate = new Gate({
      apiKey: 'k',
      allowedHosts: [],
      allowedOrigins: [],
      tickets: noTickets(),
      revocations: noRevocations(),
      clock: AgeClock.ofProcess(),
      publicPaths: ['/'],
      publicPorts: [],
      pages: PAGES,
    });
    const decision = gate.judge({
      method: 'GET',
      target: '/vnc/?api_key=k',
      upgrade: false,
      headers: { accept: 'text/html', 'x-forwarded-proto': proto },
      fromTrustedProxy: trusted,
    });
    const cookie = decision.admitted ? decision.setCookie : undefined;
    expect(cookie?.endsWith('; SameSite=Lax; Secure')).toBe(isSecure);
    expect(cookie).toContain('; SameSite=Lax');
  },
);
