import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** A request to export (OTLP 1.x, JSON). */
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}

interface CollectedSpan extends Pick<WireSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name'> {
  readonly service: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

const STATUS_ERROR = 2;

/** A collector of traces: OTLP over HTTP. */
export class Collector implements AsyncDisposable {
  readonly received: ExportRequest[] = [];
  readonly targets: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (req, res) => {
      this.targets.push(`${req.method} ${req.url}`);
      this.received.push((await json(req)) as ExportRequest);
      res.setHeader('content-type', 'application/json').end('{}');
    });
  }

  static async listen(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get spans(): CollectedSpan[] {
    return this.received.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) => {
        const service = String(valuesOf(resource.attributes)['service.name']);
        return scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(service, span)));
      }),
    );
  }

  /** Service and name of each span. */
  names(): string[] {
    return this.spans.map(nameOf).sort();
  }

  /** Each way from below a span of the client to a span without children. */
  paths(parent: string): string[][] {
    const below = this.spans.filter(({ parentSpanId }) => parentSpanId === parent);
    return below
      .flatMap((span) => {
        const rest = this.paths(span.spanId);
        return rest.length === 0 ? [[nameOf(span)]] : rest.map((path) => [nameOf(span), ...path]);
      })
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function collected(
  service: string,
  { traceId, spanId, parentSpanId, name, attributes, status }: WireSpan,
): CollectedSpan {
  const failed = status.code === STATUS_ERROR;
  return {
    service,
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    failed,
    attributes: valuesOf(attributes),
  };
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string | number | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}

function nameOf({ service, name }: CollectedSpan): string {
  return `${service}: ${name}`;
}
