import type { MutantArea } from '../mutant.ts';

export const SEARCH: MutantArea = {
  name: 'search',
  tests: ['daemon/src/capabilities/search', 'api/src/wait-slots.test.ts'],
  mutants: [
    {
      id: 'answer-without-size-bound',
      file: 'daemon/src/capabilities/search/match-collector.ts',
      text: 'this.#bytes += sizeOf(match);',
      replacement: '',
    },
    {
      id: 'pending-matches-without-size-bound',
      file: 'daemon/src/capabilities/search/ripgrep/pass-reader.ts',
      text: 'if ((pending?.bytes ?? 0) > collector.bytesLeft) return true;',
      replacement: '',
    },
    {
      id: 'match-spills-into-next-line',
      file: 'daemon/src/capabilities/search/line-matches.ts',
      text: 'endOfLine(text, Math.max(start, end - 1))',
      replacement: 'endOfLine(text, end)',
    },
    {
      id: 'aborted-waiter-takes-slot',
      file: 'api/src/wait.ts',
      text: 'this.#waiting.splice(index, 1);',
      replacement: '',
    },
    {
      id: 'directory-after-its-sibling',
      file: 'daemon/src/capabilities/search/ripgrep/path-order.ts',
      text: "if (a[at] === '/') return -1;",
      replacement: "if (a[at] === '/') return 1;",
    },
    {
      id: 'names-cut-before-sorting',
      file: 'daemon/src/capabilities/search/ripgrep/ripgrep-engine.ts',
      text: 'names.sort(compareInWalk);',
      replacement: '',
    },
    {
      id: 'context-wraps-at-first-line',
      file: 'daemon/src/capabilities/search/walk/search-text.ts',
      text: 'lines.slice(Math.max(0, lineNumber - firstLine - terms.before), lineNumber - firstLine)',
      replacement: 'lines.slice(lineNumber - firstLine - terms.before, lineNumber - firstLine)',
    },
    {
      id: 'search-without-deadline',
      file: 'daemon/src/capabilities/search/search-service.ts',
      text: 'AbortSignal.any([gone, this.#closing.signal, timeoutSignal(this.#timeoutMs)])',
      replacement: 'AbortSignal.any([gone, this.#closing.signal])',
    },
  ],
};
