import type { MountedProtocol, ProtocolService } from './protocol.ts';

/** A protocol whose service is made when it is first used. */
export class LoadedProtocol implements AsyncDisposable {
  readonly mounted: MountedProtocol;
  #service: Promise<ProtocolService> | undefined;
  #isClosed = false;

  constructor(mounted: MountedProtocol) {
    this.mounted = mounted;
  }

  get isLoaded(): boolean {
    return this.#service !== undefined;
  }

  /** The service; the next call tries again after a failure. */
  async service(): Promise<ProtocolService> {
    if (this.#isClosed) throw new Error(`the protocol ${this.mounted.name} is closed`);
    this.#service ??= this.mounted.load();
    const loading = this.#service;
    try {
      return await loading;
    } catch (error) {
      if (this.#service === loading) this.#service = undefined;
      throw error;
    }
  }

  /** Loads the service now if an earlier daemon left something to it. */
  resume(): void {
    if (!this.mounted.isPending()) return;
    this.service().catch((error: unknown) =>
      this.mounted.logger.error({ err: error }, `the protocol ${this.mounted.name} could not be loaded`),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const service = await this.#service?.catch(() => undefined);
    await service?.[Symbol.asyncDispose]();
  }
}
