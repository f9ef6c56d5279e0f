import type { MutantArea } from '../mutant.ts';

export const GATEWAY: MutantArea = {
  name: 'gateway',
  tests: ['gateway/src'],
  mutants: [
    {
      id: 'client-speaks-as-gateway',
      file: 'gateway/src/exchange/headers.ts',
      text: "if (name.startsWith('x-original-') || (!peer.trusted && isForwardedHeader(name))) return true;",
      replacement: 'if (!peer.trusted && isForwardedHeader(name)) return true;',
    },
    {
      id: 'session-cookie-reaches-upstream',
      file: 'gateway/src/exchange/app-headers.ts',
      text: "if (name === 'cookie') return withoutSession(value);",
      replacement: '',
    },
    {
      id: 'key-header-reaches-upstream',
      file: 'gateway/src/exchange/app-headers.ts',
      text: 'if (value !== undefined && !credentials.has(name.toLowerCase())) headers',
      replacement: 'if (value !== undefined) headers',
    },
    {
      id: 'page-files-climb-out',
      file: 'gateway/src/apps/static-files.ts',
      text: "segment === '' || segment.startsWith('.')",
      replacement: "segment === ''",
    },
    {
      id: 'length-beside-chunked',
      file: 'gateway/src/daemon/response-head.ts',
      text: 'this.#length !== undefined || this.#chunked || !LENGTH',
      replacement: 'this.#length !== undefined || !LENGTH',
    },
    {
      id: 'overdue-connection-is-used',
      file: 'gateway/src/daemon/daemon-connections.ts',
      text: 'if (idle.until > performance.now() && !idle.connection.isDestroyed) return',
      replacement: 'if (!idle.connection.isDestroyed) return',
    },
    {
      id: 'bytes-behind-upgrade-are-lost',
      file: 'gateway/src/relay/upgrade.ts',
      text: 'if (head.length > 0) upstreamSocket.write(head);',
      replacement: '',
    },
    {
      id: 'target-of-another-authority',
      file: 'gateway/src/exchange/target.ts',
      text: 'authority === undefined || authority.toLowerCase() !== host?.toLowerCase()',
      replacement: 'authority === undefined',
    },
    {
      id: 'quote-is-not-escaped',
      file: 'gateway/src/exchange/pages.ts',
      text: `'"': '&quot;',`,
      replacement: `'"': '"',`,
    },
    {
      id: 'posted-key-reaches-an-application',
      file: 'gateway/src/key-form/sign-in.ts',
      text: "req.method !== 'POST' || isUpgrade(exchange)",
      replacement: "req.method === 'POST' || isUpgrade(exchange)",
    },
    {
      id: 'refused-key-stays-in-the-address',
      file: 'gateway/src/key-form/key-form.ts',
      text: 'if (namesCredential(query)) {',
      replacement: 'if (query === undefined) {',
    },
    {
      id: 'form-must-not-lead-to-the-preview',
      file: 'gateway/src/key-form/key-form.ts',
      text: 'origin === undefined ? [] : [origin]',
      replacement: '[]',
    },
  ],
};
