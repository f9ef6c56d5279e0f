import type { MutantArea } from '../mutant.ts';

/** The worker of the display. */
export const COMPUTER_USE: MutantArea = {
  name: 'computer-use',
  tests: ['computer-use'],
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
      id: 'busy-target-loses-the-text',
      file: 'computer-use/src/clipboard/borrowed-clipboard.ts',
      text: 'const QUIET_PAUSES = 3;',
      replacement: 'const QUIET_PAUSES = 0;',
    },
    {
      id: 'lost-text-is-a-success',
      file: 'computer-use/src/clipboard/borrowed-clipboard.ts',
      text: 'if (isFetched) return;',
      replacement: 'return;',
    },
    {
      id: 'atoms-of-another-server',
      file: 'computer-use/src/x11/x-session.ts',
      text: 'this.client.atoms = { ...this.client.atoms };',
      replacement: '',
    },
    {
      id: 'two-recordings-at-once',
      file: 'computer-use/src/recording/recorder.ts',
      text: 'if (this.#isStarting || this.#recording?.isRunning) {',
      replacement: 'if (this.#isStarting) {',
    },
    {
      id: 'recording-without-fragments',
      file: 'computer-use/src/recording/ffmpeg.ts',
      text: "'empty_moov+frag_keyframe+default_base_moof+skip_trailer'",
      replacement: "'faststart'",
    },
    {
      id: 'recording-with-odd-sides',
      file: 'computer-use/src/recording/ffmpeg.ts',
      text: '2 * Math.floor(side / 2)',
      replacement: 'Math.floor(side)',
    },
    {
      id: 'full-disk-is-not-named',
      file: 'computer-use/src/recording/recording.ts',
      text: "code === 'ENOSPC' || code === 'EDQUOT'",
      replacement: "code === 'EDQUOT'",
    },
    {
      id: 'recording-ends-at-a-change-of-size',
      file: 'computer-use/src/recording/recording.ts',
      text: 'return this.#isFull(this.#start) ? { reason: MAX_DURATION } : undefined;',
      replacement: 'return { reason: MAX_DURATION };',
    },
    {
      id: 'recording-begins-again-in-its-file',
      file: 'computer-use/src/recording/fragments.ts',
      text: 'time + BigInt(Math.round(start * TIMESCALE))',
      replacement: 'time',
    },
    {
      id: 'grown-display-is-not-recorded',
      file: 'computer-use/src/parts.ts',
      text: "session.on('RRScreenChangeNotify', () => recorder.displayResized());",
      replacement: '',
    },
    {
      id: 'hidden-nodes-are-shown',
      file: 'computer-use/src/accessibility/tree-reader.ts',
      text: "return this.#terms.includeOffscreen || role === 'application' || hasState(states, 'showing');",
      replacement: 'return true;',
    },
    {
      id: 'pages-without-tabs-are-hidden',
      file: 'computer-use/src/accessibility/tree-reader.ts',
      text: '!this.#terms.includeOffscreen && facts.role !== PAGE',
      replacement: '!this.#terms.includeOffscreen',
    },
    {
      id: 'tree-is-cut-in-silence',
      file: 'computer-use/src/accessibility/tree-reader.ts',
      text: 'if (children.length < facts.childCount) this.#isTruncated ||= isDeepest || children.length >= room;',
      replacement: '',
    },
    {
      id: 'silent-programs-are-not-named',
      file: 'computer-use/src/accessibility/object-reader.ts',
      text: 'silent.push(sender);',
      replacement: '',
    },
    {
      id: 'pattern-without-end',
      file: 'computer-use/src/accessibility/name-matcher.ts',
      text: 'export const REGEX_MS = 250;',
      replacement: 'export const REGEX_MS = 600_000;',
    },
  ],
};
