import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createConnectRouter, createContextKey, createContextValues } from '@connectrpc/connect';
import {
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import { type ErrorKind, SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { boundedMessages, MESSAGE_BYTES } from './bounded-messages.ts';
import { descriptorOf } from './descriptors.ts';
import { reflectionApi, reflectionMethods } from './reflection.ts';
import type { Given, Methods, MethodType, Read, ServiceType } from './wire-types.ts';

/** The longest deadline that a client may set, in milliseconds: that of a timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const CODES: Readonly<Record<ErrorKind, Code>> = {
  invalid: Code.InvalidArgument,
  unauthorized: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  not_found: Code.NotFound,
  conflict: Code.FailedPrecondition,
  precondition: Code.FailedPrecondition,
  too_large: Code.ResourceExhausted,
  unprocessable: Code.InvalidArgument,
  capacity: Code.ResourceExhausted,
  unsupported: Code.Unimplemented,
  unavailable: Code.Unavailable,
  disk_full: Code.ResourceExhausted,
  io: Code.Internal,
};

/** A call as its method sees it. `C`: what the protocol knows of the request. */
export interface RpcContext<C> {
  readonly call: C;
  /** Fires when the client has left or the deadline has passed; its reason is the error of the call. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline of the client; undefined: it set none. */
  readonly timeoutMs: number | undefined;
}

type Implementation<M extends MethodType, C> = M['kind'] extends 'unary'
  ? (request: Read<M['input']>, context: RpcContext<C>) => Promise<Given<M['output']>>
  : M['kind'] extends 'server_streaming'
    ? (request: Read<M['input']>, context: RpcContext<C>) => AsyncIterable<Given<M['output']>>
    : M['kind'] extends 'client_streaming'
      ? (requests: AsyncIterable<Read<M['input']>>, context: RpcContext<C>) => Promise<Given<M['output']>>
      : (requests: AsyncIterable<Read<M['input']>>, context: RpcContext<C>) => AsyncIterable<Given<M['output']>>;

export type Implementations<M extends Methods, C> = { readonly [K in keyof M]: Implementation<M[K], C> };

type Router = ReturnType<typeof createConnectRouter>;
type AnyMethod = (request: unknown, context: RpcContext<unknown>) => unknown;

/** Serves services by the protocols Connect, gRPC and gRPC-Web, in JSON and protobuf. */
export class RpcServer<C> {
  readonly #router: Router;
  readonly #key = createContextKey<C | undefined>(undefined);
  readonly #logger: Logger;
  readonly #handlers = new Map<string, Router['handlers'][number]>();
  readonly #services: DescService[] = [];

  constructor(logger: Logger, closing: AbortSignal) {
    this.#logger = logger;
    this.#router = createConnectRouter({
      acceptCompression: [compressionGzip],
      readMaxBytes: MESSAGE_BYTES,
      writeMaxBytes: MESSAGE_BYTES,
      maxTimeoutMs: MAX_TIMEOUT_MS,
      shutdownSignal: closing,
      jsonOptions: { ignoreUnknownFields: true },
    });
  }

  add<M extends Methods>(service: ServiceType<M>, implementations: Implementations<M, C>): void {
    const descriptor = descriptorOf(service);
    this.#services.push(descriptor);
    for (const method of descriptor.methods) {
      const implementation = implementations[method.name] as AnyMethod;
      const { kind } = service.methods[method.name] as MethodType;
      const isStream = kind === 'server_streaming' || kind === 'bidi_streaming';
      const wrapped = isStream ? this.#streaming(implementation) : this.#single(implementation);
      this.#router.rpc(method, wrapped as never);
    }
    for (const handler of this.#router.handlers) this.#handlers.set(handler.requestPath, handler);
  }

  /** Lets clients ask for the services that were added. */
  addReflection(): void {
    const methods = reflectionMethods(() => this.#services);
    for (const version of ['v1', 'v1alpha'] as const) this.add(reflectionApi(version), methods as never);
  }

  /** Answers a request for the path of a method, without query; false: no method has that path. */
  serve(req: IncomingMessage, res: ServerResponse, path: string, call: C): boolean {
    const handler = this.#handlers.get(path);
    if (!handler) return false;
    res.once('error', ignore);
    const values = createContextValues().set(this.#key, call);
    const given = universalRequestFromNodeRequest(req, res, undefined, values);
    // The gateway relays gRPC from HTTP/2: both directions of such a request are open at once, where the adapter would
    // read the request to its end before the answer of a connection that is kept.
    const isOpenBothWays = handler.method.methodKind === 'bidi_streaming' && isGrpc(req);
    if (isOpenBothWays) res.shouldKeepAlive = false;
    const contentEncoding = req.headers['content-encoding'];
    const terms = { contentType: req.headers['content-type'] ?? '', contentEncoding, message: handler.method.input };
    const body = boundedMessages(given.body as AsyncIterable<Uint8Array>, terms);
    const request = { ...given, ...(isOpenBothWays && { httpVersion: '2.0' }), url: `http://localhost${path}`, body };
    handler(request)
      .then((answer) => universalResponseToNodeResponse(answer, res))
      .catch((error: unknown) => {
        if (ConnectError.from(error).code !== Code.Aborted) this.#logger.debug({ err: error }, 'a call was cut');
        res.destroy();
      });
    return true;
  }

  #single(implementation: AnyMethod) {
    return async (request: unknown, context: HandlerContext): Promise<unknown> => {
      try {
        return await implementation(request, this.#contextOf(context));
      } catch (error) {
        throw this.#asConnectError(error, context.signal);
      }
    };
  }

  #streaming(implementation: AnyMethod) {
    const contextOf = (context: HandlerContext): RpcContext<unknown> => this.#contextOf(context);
    const failure = (error: unknown, signal: AbortSignal): ConnectError => this.#asConnectError(error, signal);
    return async function* (request: unknown, context: HandlerContext): AsyncGenerator<unknown> {
      try {
        yield* implementation(request, contextOf(context)) as AsyncIterable<unknown>;
      } catch (error) {
        throw failure(error, context.signal);
      }
      // A stream that its signal has ended is not whole.
      if (context.signal.aborted) throw failure(context.signal.reason, context.signal);
    };
  }

  #contextOf({ signal, timeoutMs, values }: HandlerContext): RpcContext<unknown> {
    return { call: values.get(this.#key), signal, timeoutMs: timeoutMs() };
  }

  #asConnectError(error: unknown, signal: AbortSignal): ConnectError {
    if (signal.aborted && signal.reason instanceof ConnectError) return signal.reason;
    if (error instanceof ConnectError) return error;
    if (error instanceof SandboxError) return new ConnectError(error.message, CODES[error.kind]);
    if (!signal.aborted) this.#logger.error({ err: error }, 'unexpected error in a call');
    return new ConnectError('internal error', Code.Internal);
  }
}

/** gRPC as such, without gRPC-Web. */
function isGrpc({ headers }: IncomingMessage): boolean {
  return /^application\/grpc(?:$|[+;])/.test(headers['content-type'] ?? '');
}

type HandlerContext = {
  readonly signal: AbortSignal;
  readonly timeoutMs: () => number | undefined;
  readonly values: ReturnType<typeof createContextValues>;
};

/** An error of a code that no kind of SandboxError has. */
export function alreadyExists(message: string): ConnectError {
  return new ConnectError(message, Code.AlreadyExists);
}
