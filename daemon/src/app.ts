import type { App } from '@sandbox/api/http/app-types.ts';
import { readBodies } from '@sandbox/api/http/body.ts';
import { refuseUnknownRoutes } from '@sandbox/api/http/error-handler.ts';
import { refuseOtherMethods } from '@sandbox/api/http/methods.ts';
import { openFrame } from '@sandbox/api/http/service-frame.ts';
import { VERSION } from '@sandbox/api/version.ts';
import { createLogger, type Logger } from '@sandbox/program/logger.ts';
import { PAGES } from '@sandbox/program/pages.ts';
import { stopAll } from '@sandbox/program/parent.ts';
import { openTracing } from '@sandbox/program/tracing/tracing.ts';
import { addressTest, proxyTrust } from '@sandbox/program/trusted-proxies.ts';
import { CAPABILITIES } from './capabilities/index.ts';
import type { Capability } from './capability.ts';
import type { Config } from './config.ts';
import { LateBinding } from './core/access/late-binding.ts';
import { Revocations } from './core/access/revocations.ts';
import { TicketStore } from './core/access/tickets.ts';
import { Activity } from './core/activity/activity.ts';
import { IdleStop } from './core/activity/idle-stop.ts';
import { AnswerBudget } from './core/answers/answer-budget.ts';
import { BROWSER_LIFE } from './core/browser/browser-life.ts';
import { AgeClock } from './core/clock/age-clock.ts';
import type { CoreConfig } from './core/config.ts';
import type { DaemonCore } from './core/core.ts';
import { RunEnvironment } from './core/environment/run-environment.ts';
import { Metrics } from './core/metrics.ts';
import { openProcessHost } from './core/process/open-process-host.ts';
import { Processes } from './core/process/owners/processes.ts';
import { Recorder } from './core/recorder/recorder.ts';
import { RuntimeDir } from './core/runtime-dir.ts';
import { countUnexpectedEnds } from './core/unexpected-ends.ts';
import { mountExplorer } from './explorer/explorer-routes.ts';
import { mountGuide } from './guide/guide-routes.ts';
import { guard } from './http/access/guard.ts';
import { LiveGate } from './http/access/live-gate.ts';
import { RouteNeeds } from './http/access/route-needs.ts';
import { Uses } from './http/access/uses.ts';
import { boundAnswers } from './http/answers/bound-answers.ts';
import { errorHandler } from './http/errors.ts';
import { PublicReadiness } from './http/health/public-readiness.ts';
import { Readiness } from './http/health/readiness.ts';
import { measureResources } from './http/health/resource-figures.ts';
import { SupervisedPrograms } from './http/health/supervised-programs.ts';
import { mcpRoute } from './http/mcp/mcp-route.ts';
import type { Document } from './http/openapi/document.ts';
import { mountOperations, PUBLIC_OPERATIONS } from './http/operations.ts';
import { LoadedProtocol } from './http/protocols/loaded-protocol.ts';
import { mountProtocols } from './http/protocols/mount-protocols.ts';
import { PreviewCredentials } from './http/protocols/preview-credentials.ts';
import { boundedServer } from './http/streams/bounded-server.ts';
import { serveUpgrades } from './http/streams/websocket.ts';
import { inScope, jsonDocument, mountDocument, mountSurface, publicSurfacePaths } from './http/surfaces.ts';
import { NearestRoute } from './http/unknown/nearest-route.ts';
import { openHub } from './mcp/open-hub.ts';
import { MountedCapabilities } from './mount.ts';
import type { Protocol } from './protocol.ts';
import { PROTOCOLS } from './protocols/index.ts';

/** Milliseconds that connections get to take the last bytes of their answers when the daemon stops. */
const CLOSING_MS = 500;

/**
 * The whole daemon without a socket: `inject` talks to it, `listen` opens it, `close` ends what it holds.
 * @throws Error in one line if it cannot start
 */
export async function buildApp(
  config: Config,
  logger: Logger = loggerFor(config),
  capabilities: readonly Capability[] = CAPABILITIES,
  platform: NodeJS.Platform = process.platform,
  answers: AnswerBudget = new AnswerBudget(),
  protocols: readonly Protocol[] = PROTOCOLS,
): Promise<App> {
  const isTrusted = proxyTrust(config.trustedProxies, config.host);
  const core = await openCore(config, logger, platform);
  warnIfOpen(config, core.late, logger);
  const { connections, options } = boundedServer(logger);
  const nearest = new NearestRoute('/v2');
  const app = frame(options, config, logger, core, isTrusted, nearest);
  nearest.watch(app);
  const { strict: isStrict } = config;
  const openPaths = protocols.flatMap((protocol) => protocol.publicPaths(config));
  const { gate, uses } = openGate(config, core, capabilities, openPaths);
  guard(app, gate, isTrusted, uses, new RouteNeeds(capabilities.map(({ scopes }) => scopes)), core.recorder);
  refuseOtherMethods(app);
  readBodies(app);
  const slow = boundAnswers(app, answers);
  core.metrics.gauge('http_answers_held_bytes', 'Memory of answers that clients have not read.', () => answers.held);
  core.metrics.total('http_answers_refused_total', 'Answers without room in memory.', () => answers.refused);
  core.metrics.total('http_slow_readers_cut_total', 'Clients that did not read an answer.', () => slow.cut);

  const loaded: LoadedProtocol[] = [];
  const reports = () => ({ protocols: loaded.map((protocol) => protocol.mounted.report()) });
  const surveyed = { name: 'protocols', probe: undefined, report: reports };
  const mounted = await MountedCapabilities.create(capabilities, core, config, [surveyed]);
  const portsOf =
    (name: string): Parameters<Protocol['mount']>[2] =>
    (uses) =>
      mounted.ports.readerFor(name, uses);
  for (const each of protocols) loaded.push(new LoadedProtocol(each.mount(core, config, portsOf(each.name), logger)));
  const previews = new PreviewCredentials(loaded);
  await core.processes.endUnowned();
  const ports = mounted.ports.readerFor('mcp', [BROWSER_LIFE]);
  const hub = openHub(mounted, config, {
    logger,
    isStrict,
    recorder: core.recorder,
    browser: () => ports.get(BROWSER_LIFE),
  });
  core.processes.measure(core.metrics);
  measureResources(core.metrics);
  const idleStop = new IdleStop({
    activity: core.activity,
    logger,
    idleMs: config.idleStopSeconds * 1000,
    isWaiting: () => core.late.access().locked === 'unclaimed',
    stop: core.stop,
  });
  app.addHook('preClose', async () => idleStop[Symbol.dispose]());
  endWith(app, [
    ...(core.tracing ? [core.tracing] : []),
    core.late,
    core.runtime,
    core.clock,
    uses,
    core.processes,
    mounted,
    hub,
    ...loaded,
  ]);
  const readiness = new Readiness([...mounted.probes, ...core.processes.probes]);
  const sockets = serveUpgrades(app, connections);
  core.metrics.gauge('http_open_websockets', 'Open WebSockets.', () => sockets.size);
  const describe: () => Promise<Document> = mountSurface(
    app,
    'v2',
    { adapters: mounted.adapters('v2'), isStrict },
    (scope) => {
      mountOperations(scope, {
        gate,
        uses,
        metrics: core.metrics,
        isTrusted,
        previewCredential: (headers) => previews.find(headers),
        readiness,
        publicReadiness: new PublicReadiness(readiness, new SupervisedPrograms(config.programStates), logger),
      });
      mountGuide(scope, { document: () => describe(), tools: mounted.tools.filter(({ isExtra }) => !isExtra) });
    },
  );
  mountDocument(app, jsonDocument(describe));
  mountExplorer(app);
  mountSurface(app, 'v1', { adapters: [...mounted.adapters('v1'), mcpRoute('/mcp', hub.lenientEndpoint)], isStrict });
  void app.register(inScope(mcpRoute('/mcp', hub.endpoint)));
  mountProtocols(app, loaded, core.metrics);
  return app;
}

/** What decides about access, and what is open by it. */
function openGate(
  { allowedHosts, publicPorts }: CoreConfig,
  { late, tickets, revocations, clock, metrics }: DaemonCore,
  capabilities: readonly Capability[],
  openPaths: readonly string[],
): { readonly gate: LiveGate; readonly uses: Uses } {
  const publicPaths = [
    ...PUBLIC_OPERATIONS,
    ...publicSurfacePaths(),
    ...capabilities.flatMap((capability) => capability.publicPaths),
    ...openPaths,
  ];
  const pages = [...PAGES, ...capabilities.flatMap((capability) => capability.pages)];
  const access = () => late.access();
  const gate = new LiveGate({ allowedHosts, access, tickets, revocations, clock, publicPaths, publicPorts, pages });
  const uses = new Uses(() => gate.keyIds, revocations);
  metrics.total('http_withdrawn_total', 'Requests and WebSockets that ended with their credential.', () => uses.ended);
  return { gate, uses };
}

/** What capabilities are created from. @throws Error in one line if the runtime directory cannot be had */
export async function openCore(
  config: CoreConfig,
  logger: Logger,
  platform: NodeJS.Platform = process.platform,
): Promise<DaemonCore> {
  const runtime = await RuntimeDir.open(config.runtimeDir);
  const recorder = new Recorder();
  const late = LateBinding.open(config, runtime.path, logger, recorder);
  const clock = AgeClock.open(runtime.path);
  const metrics = new Metrics();
  const ends = countUnexpectedEnds(runtime, logger);
  metrics.total('daemon_unexpected_ends_total', 'Ends of the daemon by a kill or a crash.', () => ends);
  metrics.gauge(
    'watchdog_limit_seconds',
    'Seconds without a turn of the main loop after which the watchdog kills the daemon; 0: it does not watch.',
    () => config.stallSeconds,
  );
  const revocations = new Revocations(runtime.path, clock, logger);
  return {
    config,
    logger,
    runtime,
    platform,
    clock,
    activity: new Activity(clock),
    late,
    environment: new RunEnvironment(config, () => late.claimed, logger),
    metrics,
    recorder,
    revocations,
    tickets: new TicketStore(clock, revocations),
    tracing: await openTracing({ endpoint: config.otlpEndpoint, service: 'sandboxd', version: VERSION }),
    processes: Processes.open(await openProcessHost(config, runtime, logger), runtime.path, logger),
    stop: () => stopAll(config.processHost === 'supervised'),
  };
}

function loggerFor({ logLevel, apiKey }: Config): Logger {
  return createLogger('daemon', logLevel, apiKey === undefined ? [] : [apiKey]);
}

function frame(
  server: ReturnType<typeof boundedServer>['options'],
  config: Config,
  logger: Logger,
  core: DaemonCore,
  isTrusted: (address: string) => boolean,
  nearest: NearestRoute,
): App {
  return openFrame({
    server,
    logger,
    accessLog: config.accessLog,
    metrics: core.metrics,
    tracing: core.tracing,
    isTrusted,
    validateResponses: config.validateResponses,
    handleError: errorHandler(),
    answerUnknownRoute: refuseUnknownRoutes('GET /v2/openapi.json lists the routes', (method, path) =>
      nearest.find(method, path),
    ),
  });
}

/** Closing the app ends streams by ending what they read from; only then are connections cut. */
function endWith(app: App, resources: readonly AsyncDisposable[]): void {
  app.addHook('preClose', async () => {
    for (const resource of resources.toReversed()) await resource[Symbol.asyncDispose]();
    setTimeout(() => app.server.closeAllConnections(), CLOSING_MS).unref();
  });
}

const isLoopback = addressTest(['loopback']);

function isLocal(host: string): boolean {
  return host === 'localhost' || isLoopback(host);
}

function warnIfOpen({ jwtPublicKey, host, gatewayHost }: Config, late: LateBinding, logger: Logger): void {
  const { apiKey, named, locked } = late.access();
  if (apiKey !== undefined || named !== undefined || locked !== undefined) return;
  if (jwtPublicKey !== undefined) {
    logger.warn(
      'JWT_PUBLIC_KEY is not used any more and SVC_API_KEY is not set: the service runs without authentication',
    );
  } else if ([host, gatewayHost].every(isLocal)) {
    logger.info('SVC_API_KEY is not set: the service is open to everything on this machine');
  } else {
    logger.warn(
      'SVC_API_KEY is not set, and the service listens beyond this machine: anyone who can reach it can run programs; ' +
        'set SVC_API_KEY, or make it reachable from loopback only (docker run -p 127.0.0.1:8080:8080)',
    );
  }
}
