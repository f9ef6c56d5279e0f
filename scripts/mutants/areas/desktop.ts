import type { MutantArea } from '../mutant.ts';

const DAEMON = 'daemon/src/capabilities/desktop';

/** The daemon in front of the worker of the display. */
export const DESKTOP: MutantArea = {
  name: 'desktop',
  tests: [DAEMON],
  mutants: [
    {
      id: 'begun-actions-are-not-counted',
      file: `${DAEMON}/worker-client.ts`,
      text: 'begun += 1;',
      replacement: 'begun += 0;',
    },
    {
      id: 'request-id-is-not-passed',
      file: `${DAEMON}/wire/forward.ts`,
      text: "return { 'x-request-id': request.id, ...Object.fromEntries(passed) };",
      replacement: 'return Object.fromEntries(passed);',
    },
    {
      id: 'etag-is-not-passed',
      file: `${DAEMON}/wire/forward.ts`,
      text: "const REQUEST_HEADERS = ['if-none-match'] as const;",
      replacement: "const REQUEST_HEADERS = ['if-match'] as const;",
    },
    {
      id: 'sizes-are-not-passed',
      file: `${DAEMON}/wire/forward.ts`,
      text: '|x-image-(?:width|height)|',
      replacement: '|',
    },
    {
      id: 'silence-is-success',
      file: `${DAEMON}/desktop-service.ts`,
      text: 'return { success: false, message, hint:',
      replacement: 'return { success: true, message, hint:',
    },
    {
      id: 'refusal-is-a-defect',
      file: `${DAEMON}/desktop-service.ts`,
      text: "  400: 'invalid',",
      replacement: "  400: 'io',",
    },
    {
      id: 'warnings-are-ready',
      file: `${DAEMON}/index.ts`,
      text: 'info.available && info.warnings.length === 0',
      replacement: 'info.available',
    },
  ],
};
