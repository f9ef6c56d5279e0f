import type { AccessLog } from '@sandbox/program/access-lines.ts';
import { requestIdOf } from '@sandbox/program/request-id.ts';
import type { Tracing } from '@sandbox/program/tracing/span.ts';
import fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import type { ServiceMetrics } from '../service-metrics.ts';
import { logRequests } from './access-log.ts';
import { endAfterEarlyAnswers } from './answers/early-answer.ts';
import { makeSerializer } from './answers/serializer.ts';
import { spreadLargeAnswers } from './answers/spread-answers.ts';
import type { App } from './app-types.ts';
import type { ErrorHandler } from './error-handler.ts';
import { measureRequests } from './measure.ts';
import { MAX_PARAM_LENGTH } from './methods.ts';
import { traceRequests } from './trace-requests.ts';
import { validatorCompiler } from './validation.ts';

export interface ServiceFrame {
  /** The connections of the server. */
  readonly server: Pick<FastifyServerOptions, 'serverFactory' | 'clientErrorHandler'>;
  readonly logger: Parameters<typeof logRequests>[1];
  readonly accessLog: AccessLog;
  readonly metrics: ServiceMetrics;
  /** Undefined if no collector is set. */
  readonly tracing?: Tracing | undefined;
  readonly isTrusted: (address: string) => boolean;
  readonly validateResponses: boolean;
  readonly handleError: ErrorHandler;
  readonly answerUnknownRoute: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

/** The frame of a service, without routes: request ids, validation by zod schemas, errors, access log, metrics. */
export function openFrame(frame: ServiceFrame): App {
  const loggerInstance: FastifyBaseLogger = frame.logger;
  const app: App = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    trustProxy: frame.isTrusted,
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    // A start on a slow machine is not an error.
    pluginTimeout: 0,
    ...frame.server,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: frame.handleError,
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(makeSerializer(frame.validateResponses));
  app.setErrorHandler(frame.handleError);
  app.setNotFoundHandler(frame.answerUnknownRoute);
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  endAfterEarlyAnswers(app);
  spreadLargeAnswers(app);
  logRequests(app, frame.logger, frame.accessLog);
  measureRequests(app, frame.metrics);
  if (frame.tracing) traceRequests(app, frame.tracing);
  return app;
}
