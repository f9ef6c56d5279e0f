import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, Tracing } from './span.ts';

interface TracingTerms {
  /** Base URL of an OTLP/HTTP collector; undefined: no traces, and the SDK is not loaded. */
  readonly endpoint: string | undefined;
  readonly service: string;
  readonly version: string;
}

export async function openTracing({ endpoint, ...terms }: TracingTerms): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.ts');
  return new OtlpTracing(endpoint, terms);
}

const current = new AsyncLocalStorage<Span>();

/** Runs what belongs to the span, which `currentSpan` finds there. */
export function withinSpan<T>(span: Span, run: () => T): T {
  return current.run(span, run);
}

export function currentSpan(): Span | undefined {
  return current.getStore();
}
