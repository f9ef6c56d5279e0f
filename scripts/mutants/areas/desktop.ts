import type { MutantArea } from '../mutant.ts';

export const DESKTOP: MutantArea = {
  name: 'desktop',
  tests: ['computer-use', 'daemon/src/capabilities/desktop'],
  mutants: [
    {
      id: 'pages-may-use-the-worker',
      file: 'computer-use/src/guard.ts',
      text: "origin !== undefined || FROM_PAGES.has(request.headers['sec-fetch-site'])",
      replacement: 'origin !== undefined',
    },
    {
      id: 'batches-mix',
      file: 'computer-use/src/input/action-runner.ts',
      text: 'readonly #turns = new Slots(1);',
      replacement: 'readonly #turns = new Slots(2);',
    },
    {
      id: 'held-keys-stay-held',
      file: 'computer-use/src/input/action-runner.ts',
      text: 'if (actions.length > 1) await terms.input.release().catch(() => undefined);',
      replacement: '',
    },
    {
      id: 'point-beyond-the-screen',
      file: 'computer-use/src/input/pointer.ts',
      text: 'column < width && row < height',
      replacement: 'column <= 100_000 && row <= 100_000',
    },
    {
      id: 'drawings-are-not-counted',
      file: 'computer-use/src/screen/damage-clock.ts',
      text: "    session.on('DamageNotify', () => {\n      this.#drawings += 1;",
      replacement: "    session.on('DamageNotify', () => {\n      this.#drawings += 0;",
    },
    {
      id: 'clipboard-is-not-restored',
      file: 'computer-use/src/clipboard/borrowed-clipboard.ts',
      text: 'else await this.#selections.own(name, saved.text);',
      replacement: 'else await this.#selections.release(name);',
    },
    {
      id: 'clipboard-restored-at-once',
      file: 'computer-use/src/clipboard/borrowed-clipboard.ts',
      text: 'const QUIET_MS = 80;',
      replacement: 'const QUIET_MS = 0;',
    },
    {
      id: 'atoms-of-another-server',
      file: 'computer-use/src/x11/x-session.ts',
      text: 'this.client.atoms = { ...this.client.atoms };',
      replacement: '',
    },
    {
      id: 'begun-actions-are-not-counted',
      file: 'daemon/src/capabilities/desktop/worker-client.ts',
      text: 'begun += 1;',
      replacement: 'begun += 0;',
    },
    {
      id: 'request-id-is-not-passed',
      file: 'daemon/src/capabilities/desktop/wire/forward.ts',
      text: "return { 'x-request-id': request.id, ...Object.fromEntries(passed) };",
      replacement: 'return Object.fromEntries(passed);',
    },
  ],
};
