import { setTimeout as delay } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, type Span as SdkSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ignore } from '../ignore.ts';
import type { Span, Tracing } from './span.ts';

const KINDS = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL } as const;
/** Milliseconds between two exports, for one export, and for the last one. */
const EXPORT_EVERY_MS = 1000;
const EXPORT_MS = 5000;
const LAST_EXPORT_MS = 1000;
/** Spans that wait for the collector; later ones are dropped. */
const QUEUE_MAX = 4096;

/** Traces by the SDK of OpenTelemetry. A collector that is away costs spans, never a request. */
export class OtlpTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: ReturnType<TracerProvider['getTracer']>;

  constructor(endpoint: string, { service, version }: { readonly service: string; readonly version: string }) {
    const url = new URL('v1/traces', endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter,
          scheduledDelayMillis: EXPORT_EVERY_MS,
          exportTimeoutMillis: EXPORT_MS,
          maxQueueSize: QUEUE_MAX,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('sandbox', version);
  }

  start(name: string, { kind, parent, attributes = {} }: Parameters<Tracing['start']>[1]): Span {
    return new OtlpSpan(this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const limit = new AbortController();
    const late = delay(LAST_EXPORT_MS, undefined, { signal: limit.signal }).catch(ignore);
    await Promise.race([this.#provider.shutdown().catch(ignore), late]);
    limit.abort();
  }
}

class OtlpSpan implements Span {
  readonly traceparent: string;
  readonly #span: SdkSpan;
  #ended = false;

  constructor(span: SdkSpan) {
    this.#span = span;
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  end({ attributes = {}, failed = false }: Parameters<Span['end']>[0] = {}): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#span.setAttributes(attributes);
    if (failed) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}

function contextOf(parent: string | undefined): Context {
  const remote = parent === undefined ? null : parseTraceParent(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
}
