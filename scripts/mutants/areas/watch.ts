import type { MutantArea } from '../mutant.ts';

export const WATCH: MutantArea = {
  name: 'watch',
  tests: ['daemon/src/capabilities/watch'],
  mutants: [
    {
      id: 'loss-hides-an-event',
      file: 'daemon/src/capabilities/watch/event-log.ts',
      text: "entries.push({ seq: oldest - 1, reason: 'too_many_events' });",
      replacement: "entries.push({ seq: oldest, reason: 'too_many_events' });",
    },
    {
      id: 'closed-log-wakes-no-reader',
      file: 'daemon/src/capabilities/watch/event-log.ts',
      text: `    this.#closed = true;
    this.#wake();
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
      text: 'this.#waits.delete(waiting);',
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
      text: 'return SPOOL.test(path) || (',
      replacement: 'return (',
    },
  ],
};
