/** The declarations of the package need those of a browser. */
declare module '@xterm/addon-serialize/lib/addon-serialize.mjs' {
  import type { ITerminalAddon, Terminal } from '@xterm/headless';

  export class SerializeAddon implements ITerminalAddon {
    activate(terminal: Terminal): void;
    dispose(): void;
    serialize(options?: { scrollback?: number; excludeModes?: boolean }): string;
    serializeAsHTML(options?: { scrollback?: number; includeGlobalBackground?: boolean }): string;
  }
}
