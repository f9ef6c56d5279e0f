import type { App } from '@sandbox/api/http/app-types.ts';
import { HostRule } from '@sandbox/api/http/hosts.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';

const FROM_PAGES: ReadonlySet<unknown> = new Set(['cross-site', 'same-site', 'same-origin']);

/**
 * Keeps web pages out: by a name of its own that leads here, which Host shows, and by a request of a page, which Origin
 * or Sec-Fetch-Site shows. The worker serves no page, so no page has a reason to call.
 */
export function guardAgainstPages(app: App, allowedHosts: readonly string[]): void {
  const hosts = new HostRule(allowedHosts);
  app.addHook('onRequest', (request, _reply, done) => {
    const { host, origin } = request.headers;
    if (host === undefined || !hosts.allows(host)) {
      done(new SandboxError('forbidden', 'the Host is not allowed', { hint: 'use 127.0.0.1 or localhost' }));
    } else if (origin !== undefined || FROM_PAGES.has(request.headers['sec-fetch-site'])) {
      done(new SandboxError('forbidden', 'web pages may not use the worker', { hint: 'call the daemon' }));
    } else done();
  });
}
