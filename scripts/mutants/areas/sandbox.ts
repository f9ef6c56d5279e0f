import type { MutantArea } from '../mutant.ts';

export const SANDBOX: MutantArea = {
  name: 'sandbox',
  tests: [
    'daemon/src/capabilities/sandbox',
    'daemon/src/core/access',
    'daemon/src/core/activity',
    'daemon/src/core/environment',
    'daemon/src/core/survey',
    'daemon/src/windows.test.ts',
  ],
  mutants: [
    {
      id: 'claim-twice',
      file: 'daemon/src/core/access/late-binding.ts',
      text: 'if (this.#claim !== undefined) {',
      replacement: "if (this.#claim?.claimedAt === '') {",
    },
    {
      id: 'open-before-the-claim',
      file: 'daemon/src/core/access/late-binding.ts',
      text: 'locked: apiKey === undefined ? this.#lock() : undefined,',
      replacement: 'locked: undefined,',
    },
    {
      id: 'claim-in-memory-only',
      file: 'daemon/src/core/access/late-binding.ts',
      text: 'this.#record.write(claim);',
      replacement: '',
    },
    {
      id: 'emptied-key-file-opens',
      file: 'daemon/src/core/access/secret-file.ts',
      text: 'if (version === undefined || version === this.#version) return this.#secret;',
      replacement:
        'if (version === undefined) return undefined;\n    if (version === this.#version) return this.#secret;',
    },
    {
      id: 'tickets-outlive-their-key',
      file: 'daemon/src/http/access/live-gate.ts',
      text: 'if (terms.apiKey !== this.#terms.apiKey) this.#options.tickets.revokeAll();',
      replacement: '',
    },
    {
      id: 'environment-of-the-boot',
      file: 'daemon/src/core/environment/run-environment.ts',
      text: 'if (this.#from?.files !== files || this.#from.claim !== claim) {',
      replacement: 'if (this.#from === undefined) {',
    },
    {
      id: 'silent-programs-are-idle',
      file: 'daemon/src/core/activity/recent-use.ts',
      text: 'else if (isBusy()) this.#checkAfter(quietMs);',
      replacement: 'else if (isBusy() && quietMs < 0) this.#checkAfter(quietMs);',
    },
    {
      id: 'transfers-hold-for-ever',
      file: 'daemon/src/http/activity/count-requests.ts',
      text: 'held[Symbol.dispose]();',
      replacement: '',
    },
    {
      id: 'looking-is-a-use',
      file: 'daemon/src/http/activity/count-requests.ts',
      text: "if (reply.statusCode < 400 && !looking.has(request.routeOptions.url ?? '')) activity.note(kind);",
      replacement: 'if (reply.statusCode < 400 && looking.size > 0) activity.note(kind);',
    },
    {
      id: 'refresh-answers-the-last-survey',
      file: 'daemon/src/core/survey/cached.ts',
      text: 'if (!fresh && known !== undefined',
      replacement: 'if (known !== undefined',
    },
    {
      id: 'aliases-are-interpreters',
      file: 'daemon/src/capabilities/sandbox/context/interpreters.ts',
      text: 'return realpathSync(path);',
      replacement: 'return realpathSync(path) && path;',
    },
    {
      id: 'windows-ignores-the-default-account',
      file: 'daemon/src/core/files/ownership.ts',
      text: "if (user === undefined && this.#platform === 'win32') throw defaultUserOnWindows();",
      replacement: "if (user === undefined && this.#platform === 'win32') return undefined;",
    },
  ],
};
