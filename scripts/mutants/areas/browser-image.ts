import type { MutantArea } from '../mutant.ts';

export const BROWSER_IMAGE: MutantArea = {
  name: 'browser-image',
  tests: ['browser-mcp', 'images/proxy', 'daemon/src/capabilities/browser/start', 'gateway/src/apps/cdp.test.ts'],
  mutants: [
    {
      id: 'pages-may-call-tools',
      file: 'browser-mcp/src/http-server.ts',
      text: "if (headers.origin !== undefined) throw new Refusal(403, 'Origin: pages may not use this server');",
      replacement: '',
    },
    {
      id: 'any-host-is-local',
      file: 'browser-mcp/src/http-server.ts',
      text: "if (!LOCAL_HOST.test(headers.host ?? ''))",
      replacement: "if ((headers.host ?? '') === '')",
    },
    {
      id: 'local-host-is-a-prefix',
      file: 'browser-mcp/src/http-server.ts',
      text: '(?::\\d{1,5})?$/i',
      replacement: '/i',
    },
    {
      id: 'answers-keep-the-own-id',
      file: 'browser-mcp/src/shared-session.ts',
      text: 'resolve({ ...answer, id: request.id });',
      replacement: 'resolve(answer);',
    },
    {
      id: 'calls-at-the-same-time',
      file: 'browser-mcp/src/shared-session.ts',
      text: 'const call = this.#turn.then(() => this.#exchange(request));',
      replacement: 'const call = this.#exchange(request);',
    },
    {
      id: 'hanging-call-is-not-told',
      file: 'browser-mcp/src/shared-session.ts',
      text: 'this.#terms.onStuck();',
      replacement: '',
    },
    {
      id: 'capabilities-are-passed-on',
      file: 'browser-mcp/src/shared-session.ts',
      text: 'params: withoutCapabilities(request.params)',
      replacement: 'params: request.params',
    },
    {
      id: 'body-has-no-bound',
      file: 'browser-mcp/src/read-body.ts',
      text: 'if (received.length > maxBytes) throw new TooLarge();',
      replacement: '',
    },
    {
      id: 'proxy-gets-no-credentials',
      file: 'images/proxy/upstream.ts',
      text: 'headers: { ...headers, ...credentials }',
      replacement: 'headers',
    },
    {
      id: 'credentials-stay-encoded',
      file: 'images/proxy/upstream.ts',
      text: 'decodeURIComponent(server.password)',
      replacement: 'server.password',
    },
    {
      id: 'tunnel-to-anything',
      file: 'images/proxy/forwarder.ts',
      text: 'if (!AUTHORITY.test(authority))',
      replacement: "if (authority === '')",
    },
    {
      id: 'running-browser-is-asked-for',
      file: 'daemon/src/capabilities/browser/start/browser-starter.ts',
      text: 'if (running !== undefined) return { version: running, started: false };',
      replacement: '',
    },
    {
      id: 'callers-start-twice',
      file: 'daemon/src/capabilities/browser/start/browser-starter.ts',
      text: 'this.#starting ??= this.#start()',
      replacement: 'this.#starting = this.#start()',
    },
    {
      id: 'request-is-not-repeated',
      file: 'daemon/src/capabilities/browser/start/browser-starter.ts',
      text: 'askedAt = performance.now();',
      replacement: 'askedAt = Number.POSITIVE_INFINITY;',
    },
    {
      id: 'root-discovery-is-cut',
      file: 'gateway/src/apps/cdp.ts',
      text: 'whole.startsWith(GATEWAY_PATHS.discovery) ? whole : whole.slice(PREFIX.length)',
      replacement: 'whole.slice(PREFIX.length)',
    },
  ],
};
