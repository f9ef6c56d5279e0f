import type { MutantArea } from '../mutant.ts';

export const FILES: MutantArea = {
  name: 'files',
  tests: ['daemon/src/capabilities/files'],
  mutants: [
    {
      id: 'part-is-left-behind',
      file: 'daemon/src/capabilities/files/parts/part-file.ts',
      text: 'unlinkQuietly(this.#entry.at);',
      replacement: '',
    },
    {
      id: 'replaced-file-loses-mode-bits',
      file: 'daemon/src/capabilities/files/parts/part-file.ts',
      text: 'Number(before.mode) & 0o7777',
      replacement: 'Number(before.mode) & 0o777',
    },
    {
      id: 'piece-may-overlap',
      file: 'daemon/src/capabilities/files/upload/resumable.ts',
      text: 'if (part.length !== start) throw misplaced(path, part.length);',
      replacement: 'if (part.length < start) throw misplaced(path, part.length);',
    },
    {
      id: 'long-piece-stays',
      file: 'daemon/src/capabilities/files/upload/resumable.ts',
      text: 'if (!isWithin) part.truncate(start);',
      replacement: '',
    },
    {
      id: 'list-exceeds-limit',
      file: 'daemon/src/capabilities/files/read/list.ts',
      text: 'if (this.entries.length === this.#request.limit) return false;',
      replacement: 'if (this.entries.length > this.#request.limit) return false;',
    },
    {
      id: 'delete-follows-swapped-link',
      file: 'daemon/src/capabilities/files/change/delete.ts',
      text: 'new Level(HeldDirectory.open(level.directory.at(name)));',
      replacement: 'new Level(HeldDirectory.open(level.directory.at(name), { follow: true }));',
    },
    {
      id: 'planted-link-is-trusted',
      file: 'daemon/src/core/files/place/resolve.ts',
      text: 'for (const uid of link.owners) this.#linkOwners.add(uid);',
      replacement: '',
    },
    {
      id: 'closed-directory-is-reached',
      file: 'daemon/src/core/files/place/reach.ts',
      text: 'return parent.isSame(directory) || canSearchTo(account, parent);',
      replacement: 'return true;',
    },
    {
      id: 'plain-path-is-not-compared',
      file: 'daemon/src/core/files/place/resolve.ts',
      text: 'if (!samePath(directory.path, parent)) return undefined;',
      replacement: '',
    },
    {
      id: 'made-directory-is-found-by-name',
      file: 'daemon/src/core/files/place/make-directory.ts',
      text: 'if (othersMayRename(entry.directory.stats())) return makeInPrivate(entry, owner);',
      replacement: '',
    },
    {
      id: 'lock-does-not-wait',
      file: 'daemon/src/capabilities/files/path-locks.ts',
      text: 'await before;',
      replacement: '',
    },
    {
      id: 'archive-climbs-out',
      file: 'daemon/src/capabilities/files/tar/judge.ts',
      text: "if (parts.includes('..')) throw refuse('contains ..');",
      replacement: '',
    },
    {
      id: 'whole-character-is-cut',
      file: 'daemon/src/core/output/text-slice.ts',
      text: 'sequenceLength(byte) > back',
      replacement: 'sequenceLength(byte) >= back',
    },
    {
      id: 'probe-leaves-its-file',
      file: 'daemon/src/capabilities/files/probe.ts',
      text: 'await rm(path, { force: true });',
      replacement: '',
    },
  ],
};
