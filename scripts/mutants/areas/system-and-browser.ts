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
      text: 'if (response.statusCode !== 200) reject(',
      replacement: 'if (response.statusCode === 0) reject(',
    },
    {
      id: 'silent-browser-is-waited-for',
      file: 'daemon/src/capabilities/browser/browser-endpoint.ts',
      text: 'const signal = AbortSignal.timeout(ms);',
      replacement: 'const signal = AbortSignal.timeout(ms * 100);',
    },
    {
      id: 'ref-of-another-document',
      file: 'daemon/src/capabilities/browser/element/find-element.ts',
      text: 'id === frameId && shown === loaderId',
      replacement: 'id === frameId && shown !== undefined',
    },
    {
      id: 'ref-of-a-removed-node',
      file: 'daemon/src/capabilities/browser/element/page-scripts.ts',
      text: 'return node?.isConnected ? node : null;',
      replacement: 'return node ?? null;',
    },
    {
      id: 'covered-element-is-clicked',
      file: 'daemon/src/capabilities/browser/element/page-scripts.ts',
      text: 'if (hit && belongs(hit, node)) return { box, x, y };',
      replacement: 'if (hit) return { box, x, y };',
    },
    {
      id: 'moving-element-is-clicked',
      file: 'daemon/src/capabilities/browser/element/page-scripts.ts',
      text: 'now.box && last.box && same(now.box, last.box)',
      replacement: 'now.box && last.box',
    },
    {
      id: 'input-that-began-is-repeated',
      file: 'daemon/src/capabilities/browser/element/click.ts',
      text: 'if (error instanceof SandboxError) {',
      replacement: 'if (error instanceof TypeError) {',
    },
    {
      id: 'dialog-is-waited-for',
      file: 'daemon/src/capabilities/browser/tabs/tab.ts',
      text: 'for (const session of this.sessions) session.failCalls(dialogFailure(dialog));',
      replacement: '',
    },
    {
      id: 'crash-is-not-noticed',
      file: 'daemon/src/capabilities/browser/tabs/tab-list.ts',
      text: "browser.on('Target.targetCrashed', ({ targetId }) => this.#tabs.get(targetId)?.crash());",
      replacement: '',
    },
    {
      id: 'popup-begins-unseen',
      file: 'daemon/src/capabilities/browser/tabs/tab-list.ts',
      text: 'waitForDebuggerOnStart: true',
      replacement: 'waitForDebuggerOnStart: false',
    },
    {
      id: 'raw-calls-switch-our-domains',
      file: 'daemon/src/capabilities/browser/browser-service.ts',
      text: '? tab.session : tab.raw(live.session)',
      replacement: '? tab.session : tab.session',
    },
    {
      id: 'tab-behind-takes-no-input',
      file: 'daemon/src/capabilities/browser/tabs/tab.ts',
      text: "'Emulation.setFocusEmulationEnabled', { enabled: true }",
      replacement: "'Emulation.setFocusEmulationEnabled', { enabled: false }",
    },
    {
      id: 'snapshot-without-a-bound',
      file: 'daemon/src/capabilities/browser/snapshot/snapshot.ts',
      text: 'if (work.left < 0) work.isCut = true;',
      replacement: 'if (work.left < -1e9) work.isCut = true;',
    },
    {
      id: 'text-that-no-key-types-is-dropped',
      file: 'daemon/src/capabilities/browser/input/perform.ts',
      text: 'const character = useClipboard ? undefined : untypable(text);',
      replacement: 'const character = undefined;',
    },
    {
      id: 'refused-address-is-a-success',
      file: 'daemon/src/capabilities/browser/navigate/navigate.ts',
      text: "if ('reason' in begun) {",
      replacement: "if ('reason' in begun && begun.reason !== 'refused') {",
    },
    {
      id: 'cookie-of-a-longer-path',
      file: 'daemon/src/capabilities/browser/cookies/cookies.ts',
      text: "(path.endsWith('/') || pathname[path.length] === '/')",
      replacement: 'path !== undefined',
    },
  ],
};
