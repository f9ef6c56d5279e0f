import type { MutantArea } from '../mutant.ts';

export const APP: MutantArea = {
  name: 'app',
  tests: ['gateway/pages/app', 'gateway/src/landing'],
  mutants: [
    {
      id: 'rows-have-no-bound',
      file: 'gateway/pages/app/parts/row-range.ts',
      text: 'end: Math.min(count, last, first + ROWS_MAX)',
      replacement: 'end: Math.min(count, last)',
    },
    {
      id: 'directories-among-files',
      file: 'gateway/pages/app/files/order.ts',
      text: 'return [...left.filter((entry) => entry.is_directory), ...left.filter((entry) => !entry.is_directory)];',
      replacement: 'return left;',
    },
    {
      id: 'filter-minds-the-case',
      file: 'gateway/pages/app/files/order.ts',
      text: 'name.toLowerCase().includes(wanted)',
      replacement: 'name.includes(wanted)',
    },
    {
      id: 'cut-sequence-is-shown',
      file: 'gateway/pages/app/commands/output-text.ts',
      text: 'if (end === undefined && text.length - at < LINE_MAX) this.#cut = text.slice(at);',
      replacement: '',
    },
    {
      id: 'carriage-return-keeps-the-line',
      file: 'gateway/pages/app/commands/output-text.ts',
      text: "if (this.#overwrites) this.#line = '';",
      replacement: '',
    },
    {
      id: 'long-line-is-whole',
      file: 'gateway/pages/app/commands/output-text.ts',
      text: 'while (this.#line.length > LINE_MAX) {',
      replacement: 'while (false) {',
    },
    {
      id: 'state-ends-the-script',
      file: 'gateway/src/landing/app-document.ts',
      text: "replaceAll('<', '\\\\u003c')",
      replacement: "replaceAll('<', '<')",
    },
    {
      id: 'memory-counts-the-file-cache',
      file: 'gateway/src/landing/resources.ts',
      text: "(fieldOf(stat, 'inactive_file') ?? 0)",
      replacement: '0',
    },
  ],
};
