import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** The name of something that one capability provides and others use, with the type of what is provided. */
export interface Port<T> {
  readonly name: string;
  /** Carries the type only. */
  readonly type?: T;
}

/** What a capability provides under a port, made from its service. */
export interface Provision<S> {
  readonly port: Port<unknown>;
  readonly from: (service: S) => unknown;
}

export function definePort<T>(name: string): Port<T> {
  return { name };
}

export function provide<S, T>(port: Port<T>, from: (service: S) => T): Provision<S> {
  return { port, from };
}

/** Reads the ports that a capability has declared. */
export interface PortReader {
  /**
   * What is provided under the port; undefined if no capability provides it. Ports are filled when every
   * capability has been created: read them when they are needed, not in `create`.
   * @throws Error if the capability has not declared the port in `uses`
   */
  get<T>(port: Port<T>): T | undefined;
}

/** @throws SandboxError `unavailable` if no capability provides it */
export function provided<T>(ports: PortReader, port: Port<T>): T {
  const found = ports.get(port);
  if (found === undefined) throw new SandboxError('unavailable', `no capability serves ${port.name}`);
  return found;
}

/** What all capabilities provide, by port. */
export class Ports {
  readonly #provided = new Map<string, unknown>();

  /** @throws Error if another capability provides the port already */
  fill(port: Port<unknown>, value: unknown): void {
    if (this.#provided.has(port.name)) throw new Error(`two capabilities provide the port ${port.name}`);
    this.#provided.set(port.name, value);
  }

  readerFor(capability: string, uses: readonly Port<unknown>[]): PortReader {
    const declared = new Set(uses.map(({ name }) => name));
    return {
      get: <T>({ name }: Port<T>): T | undefined => {
        if (!declared.has(name)) throw new Error(`the capability ${capability} does not declare the port ${name}`);
        return this.#provided.get(name) as T | undefined;
      },
    };
  }
}
