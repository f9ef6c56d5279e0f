export type WebSocketClass = new (url: string) => WebSocket;

/** Modules of Node, which Deno and Bun have too. A bundler for pages does not follow the name. */
export interface Builtins {
  readonly 'node:crypto': typeof import('node:crypto');
  readonly 'node:fs/promises': typeof import('node:fs/promises');
  readonly 'node:path': typeof import('node:path');
  /** For Node before version 22. */
  readonly ws: { readonly WebSocket: WebSocketClass };
}

export async function builtin<Name extends keyof Builtins>(name: Name): Promise<Builtins[Name]> {
  const module: string = name;
  return (await import(/* @vite-ignore */ module)) as Builtins[Name];
}

/** Whether the platform has files and the modules of Node. */
export function hasBuiltins(): boolean {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  return process?.versions?.node !== undefined;
}
