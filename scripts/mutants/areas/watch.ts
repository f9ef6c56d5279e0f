import type { MutantArea } from '../mutant.ts';

export const WATCH: MutantArea = {
  name: 'watch',
  tests: ['daemon/src/capabilities/watch'],
  mutants: [
    {
      id: 'loss-hides-an-event',
      file: 'daemon/src/core/event-log.ts',
      text: 'entries.push({ seq: this.#firstKept - 1, reason: TOO_MANY });',
      replacement: 'entries.push({ seq: this.#firstKept, reason: TOO_MANY });',
    },
    {
      id: 'closed-log-wakes-no-reader',
      file: 'daemon/src/core/event-log.ts',
      text: `    this.#closed = true;
    this.#waiters.wake();
`,
      replacement: `    this.#closed = true;
`,
    },
    {
      id: 'recreated-tree-is-not-reported',
      file: 'daemon/src/capabilities/watch/debouncer.ts',
      text: "if (isDirectory && (type === 'remove' || type === 'rename')) this.#types.clear();",
      replacement: '',
    },
    {
      id: 'released-watcher-stays-known',
      file: 'daemon/src/capabilities/watch/watch-service.ts',
      text: 'this.#byTerms.delete(keyOf(watcher.root, watcher.terms));',
      replacement: '',
    },
    {
      id: 'ended-wait-holds-its-place',
      file: 'daemon/src/capabilities/watch/watch-service.ts',
      text: 'this.#registry.remove(place.id, wait);',
      replacement: '',
    },
    {
      id: 'recursion-is-not-in-the-key',
      file: 'daemon/src/capabilities/watch/watch-service.ts',
      text: 'JSON.stringify([root, recursive, debounceMs,',
      replacement: 'JSON.stringify([root, debounceMs,',
    },
    {
      id: 'upload-spool-is-reported',
      file: 'daemon/src/capabilities/watch/path-filter.ts',
      text: "isPartName(path.slice(path.lastIndexOf('/') + 1)) ||",
      replacement: '',
    },
  ],
};
