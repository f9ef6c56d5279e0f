import { type Requirement, section } from './requirement.ts';

/** What operators, people and language models read of the service. */
export const OPERATIONS: readonly Requirement[] = [
  ...section('docs/contract.md §8', {
    'explorer.pages': '/docs and /v1/docs are explorers of the two surfaces; both need the key',
    'explorer.offline': 'an explorer loads nothing but files of its own origin, under a policy of its own',
    'explorer.call': 'a call from the explorer reaches the service, behind a path prefix too',
    'explorer.sign-in': 'a browser without the key gets the form, and a link with the key opens the explorer',
    'openapi.examples': 'each operation has an example of what it requires, which is answered with success',
    'openapi.fuzz': 'random requests find no error of the server, and nothing that contradicts the documents',
    'openapi.events':
      'each stream of v2 names the schema of its events, which its lines have; unions say what tells them apart',
    'openapi.generators':
      'no field of a request has a default that generators make required, and booleans are booleans',
    'openapi.bytes': 'files, archives and pictures are application/octet-stream for a client that accepts nothing else',
    'openapi.numbers':
      'a number of a query is a decimal one: empty and other text is refused, and the answer names the field',
    'openapi.root': 'GET /openapi.json is the document of v2 and needs the key',
    'idle.stop': 'with SVC_IDLE_STOP_SECONDS a sandbox that nothing has used for that long stops in order',
    'metrics.series':
      'GET /metrics has commands, terminals, code, tabs, watchers, connections, WebSockets, bytes, dropped bytes, the keeper, the event loop and the watchdog',
    'metrics.sandbox':
      'GET /metrics has memory, processors, disk and OOM kills of the sandbox, as its limits are, and the build',
    'metrics.gateway':
      'GET /gateway/metrics needs the key and has connections, upgrades, bytes and failed upstreams of the gateway',
    'metrics.routes': 'routes are templates; all unknown paths are one series, for any method',
    'metrics.bytes': 'bytes of open and closed connections are counted, and never fall',
    'metrics.dropped': 'output over the cap of a command is counted as dropped',
    'metrics.unexpected-ends': 'a daemon that was killed is counted by the next one; one that stopped in order is not',
    'metrics.promtool': 'promtool accepts the metrics, the alert rules and their tests',
    'metrics.dashboard': 'each query of the dashboard is valid, and each series in it is one of /metrics',
    'health.ready':
      'GET /health?ready needs no key: 200 if the sandbox can be used, 503 without the reason if not; changes are logged',
    'health.programs': 'it is 503 while a program that the image promises does not run or does not answer',
    'health.cheap': 'callers share the probes, however many ask',
    'traces.tree':
      'gateway, daemon, worker and command are one tree below the traceparent of the client; a command gets TRACEPARENT',
    'traces.secrets': 'spans name no path, query, header, command or output',
    'traces.failure': 'a span has the status of its answer, or the exit code of its command, and whether it failed',
    'traces.health': 'health checks have no spans; a malformed traceparent begins a trace',
    'traces.collector-away': 'requests are answered if the collector is away',
    'traces.off': 'without a collector a command gets no TRACEPARENT',
    'traces.lazy': 'the SDK is loaded only if a collector is set',
    'traces.last': 'a program that stops sends the spans that are left',
    'guide.routes': 'GET /v2/guide lists each route of v2 and each built-in tool, from their own descriptions',
    'guide.ways': 'the guide says how to stream, keep a session, write paths and use a page',
    'guide.size': 'the guide has under 6,000 tokens, however many routes and tools there are',
    'guide.key': '/v2/guide and /llms.txt need the key',
    'llms.index': 'GET /llms.txt is an index by relative links, each of which is served',
  }),
];
