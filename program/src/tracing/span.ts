type Attributes = Readonly<Record<string, string | number | boolean>>;

interface SpanTerms {
  readonly kind: 'server' | 'internal';
  /** `traceparent` of the caller (W3C Trace Context §3.2); a malformed one begins a trace of its own. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

/** A piece of work in a trace. It names no path, query, command or output, which may hold secrets. */
export interface Span {
  /** What callees get, as header or as variable. */
  readonly traceparent: string;
  /** Further calls are ignored. */
  end(outcome?: { readonly attributes?: Attributes; readonly failed?: boolean }): void;
}

/** Sends spans to a collector. Disposal sends what is left, within a second. */
export interface Tracing extends AsyncDisposable {
  start(name: string, terms: SpanTerms): Span;
}
