import type { Span, Tracing } from '@sandbox/program/tracing/span.ts';
import { currentSpan } from '@sandbox/program/tracing/tracing.ts';
import type { Command } from './command.ts';

/** The span of a command, below that of the request that starts it; without tracing it does nothing. */
export class CommandSpan implements Disposable {
  readonly #span: Span | undefined;
  #isHandedOver = false;

  constructor(tracing: Tracing | undefined, id: string) {
    this.#span = tracing?.start('command', {
      kind: 'internal',
      parent: currentSpan()?.traceparent,
      attributes: { 'sandbox.command_id': id },
    });
  }

  get traceparent(): string | undefined {
    return this.#span?.traceparent;
  }

  /** It ends with the command, or when the command could not be started. */
  endWith(begun: Promise<Command>): void {
    const span = this.#span;
    this.#isHandedOver = true;
    if (span === undefined) return;
    const fail = (): void => span.end({ failed: true });
    void begun.then(async (command) => {
      await command.ended;
      const { exitCode, status } = command.record;
      const attributes = { 'sandbox.status': status, ...(exitCode !== null && { 'process.exit.code': exitCode }) };
      span.end({ attributes, failed: status !== 'completed' || exitCode !== 0 });
    }, fail);
  }

  /** Ends it if the command was refused. */
  [Symbol.dispose](): void {
    if (!this.#isHandedOver) this.#span?.end({ failed: true });
  }
}
