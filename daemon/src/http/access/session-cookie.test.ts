import { expect, test } from 'vitest';
import { AgeClock } from '../../core/clock/age-clock.ts';
import { ApiKey } from './api-key.ts';
import { SessionCookies } from './session-cookie.ts';

test('a cookie expires after twelve hours', () => {
  const cookies = new SessionCookies(new ApiKey('key').derive('x'), AgeClock.ofProcess());
  const cookie = cookies.issue('/vnc/', { secure: false, by: { ids: [] }, now: 0 })?.split(';')[0];
  expect([...cookies.validIn(cookie, '/vnc/', 12 * 3600 * 1000 - 1)].length > 0).toBe(true);
  expect([...cookies.validIn(cookie, '/vnc/', 12 * 3600 * 1000)].length > 0).toBe(false);
});

test('the cookie is found among other cookies', () => {
  const cookies = new SessionCookies(new ApiKey('key').derive('x'), AgeClock.ofProcess());
  const cookie = cookies.issue('/jupyter/lab', { secure: false, by: { ids: [] } })?.split(';')[0];
  expect([...cookies.validIn(`a=b; svc_session=x.y; ${cookie}; _xsrf=1`, '/jupyter/api')].length > 0).toBe(true);
});
