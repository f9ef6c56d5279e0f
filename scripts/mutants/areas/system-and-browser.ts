import type { MutantArea } from '../mutant.ts';

export const SYSTEM_AND_BROWSER: MutantArea = {
  name: 'system-and-browser',
  tests: ['daemon/src/capabilities/system', 'daemon/src/capabilities/browser'],
  mutants: [
    {
      id: 'ticket-lives-too-long',
      file: 'daemon/src/capabilities/system/v2/routes.ts',
      text: '.max(3600).default(30)',
      replacement: '.max(3600).default(300)',
    },
    {
      id: 'ticket-prefix-without-slash',
      file: 'daemon/src/capabilities/system/v2/routes.ts',
      text: ".startsWith('/', 'expected a path that begins with /')",
      replacement: '',
    },
    {
      id: 'ticket-ignores-prefix',
      file: 'daemon/src/capabilities/system/v2/routes.ts',
      text: '{ pathPrefix: path_prefix }',
      replacement: "{ pathPrefix: '/' }",
    },
    {
      id: 'browser-error-counts-as-ready',
      file: 'daemon/src/capabilities/browser/browser-endpoint.ts',
      text: 'return answer.ok ? String(version) : undefined;',
      replacement: 'return String(version);',
    },
    {
      id: 'silent-browser-is-waited-for',
      file: 'daemon/src/capabilities/browser/browser-endpoint.ts',
      text: 'fetch(this.#url, { signal: AbortSignal.timeout(PATIENCE_MS) })',
      replacement: 'fetch(this.#url)',
    },
  ],
};
