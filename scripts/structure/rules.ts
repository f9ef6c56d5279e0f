import { posix } from 'node:path';
import { environmentReads, importsOf } from './imports.ts';

/** A rule for the imports of files. A target is a path in the repository, `node:x`, or `npm:x`. */
export interface ImportRule {
  readonly because: string;
  readonly files: RegExp;
  readonly except?: RegExp;
  /** Allowed targets; default: all. */
  readonly allowed?: RegExp;
  readonly forbidden?: RegExp;
}

const ADAPTER = /^daemon\/src\/capabilities\/[^/]+\/(?:(?:index|options|routes|tools)\.ts$|(?:v1|v2|wire)\/)/;
/** Routes of the worker of the display, and their schemas. */
const WORKER_ADAPTER = /^computer-use\/src\/(?:[a-z0-9-]+\/)?wire\//;
const NODE = '^node:';
/** What domains may know of api: everything but its frame of HTTP. */
const API_CORE = '^api/src/(?!http/)';
const API = '^api/src/';

function anyOf(...patterns: string[]): RegExp {
  return new RegExp(patterns.join('|'));
}

const IMPORT_RULES: readonly ImportRule[] = [
  {
    because: 'program is what every service shares: node and small libraries',
    files: /^program\/src\//,
    allowed: anyOf(
      '^program/src/',
      '^program/product\\.json$',
      NODE,
      '^npm:(?:pino|prom-client|zod|@opentelemetry/[a-z-]+)$',
    ),
  },
  {
    because: 'the client runs in pages too, and is published alone: it loads modules of Node by builtin()',
    files: /^clients\/typescript\/src\//,
    except: /^clients\/typescript\/src\/(?:cli\/|core\/builtin\.ts$)/,
    allowed: /^clients\/typescript\/src\//,
  },
  {
    because: 'the command line knows the client and its version, Node, and WebSockets that can be paused',
    files: /^clients\/typescript\/src\/cli\//,
    allowed: anyOf('^clients/typescript/src/', '^clients/typescript/package\\.json$', NODE, '^npm:ws$'),
  },
  {
    because: 'api is the frame of HTTP that daemon and worker share; it knows neither',
    files: /^api\//,
    allowed: anyOf(
      '^api/',
      '^program/src/',
      NODE,
      '^npm:(?:fastify|fastify-type-provider-zod|find-my-way|prom-client|zod)$',
    ),
  },
  {
    because: 'what is no HTTP in api is for domains too',
    files: /^api\/src\//,
    except: /^api\/src\/http\//,
    forbidden: /^api\/src\/http\/|^npm:fastify/,
  },
  {
    because: 'core knows no surface and no capability: node and small libraries',
    files: /^daemon\/src\/core\//,
    allowed: anyOf(
      '^daemon/src/core/',
      API_CORE,
      '^program/src/',
      NODE,
      '^npm:(?:prom-client|tar-stream|zod|@lydell/node-pty|fastest-levenshtein)$',
    ),
  },
  {
    because: 'only core/process starts processes, and the recorder its ffmpeg',
    files: /^(?:program|api|daemon|gateway|browser-mcp|computer-use)\/src\//,
    except: /^daemon\/src\/core\/process\/|^computer-use\/src\/recording\/ffmpeg-process\.ts$/,
    forbidden: /^(?:node:(?:child_process|cluster)|npm:@lydell\/node-pty)$/,
  },
  {
    because: 'http knows core and no capability',
    files: /^daemon\/src\/http\//,
    allowed: anyOf('^daemon/src/(?:http|core)/', API, '^program/src/', NODE, '^npm:'),
  },
  {
    because: 'explorer and guide describe routes and know no capability',
    files: /^daemon\/src\/(?:explorer|guide)\//,
    allowed: anyOf('^daemon/src/(?:explorer|guide|http|core)/', API, '^program/src/', NODE, '^npm:'),
  },
  {
    because: 'the domain of a capability knows core, not how it is served',
    files: /^daemon\/src\/capabilities\/[^/]+\//,
    except: ADAPTER,
    allowed: anyOf('^daemon/src/(?:core|capabilities)/', API_CORE, '^program/src/', NODE, '^npm:'),
    forbidden: anyOf(ADAPTER.source, '^npm:(?:fastify|@fastify/.*|fastify-.*|zod)$'),
  },
  {
    because: 'routes and their schemas know their own service, http and core',
    files: /^daemon\/src\/capabilities\/[^/]+\/(?:routes\.ts$|(?:v1|v2|wire)\/)/,
    allowed: anyOf('^daemon/src/(?:core|http|capabilities)/', API, '^program/src/', NODE, '^npm:(?:fastify|zod)$'),
  },
  {
    because: 'what v1 and v2 share maps values and knows no route',
    files: /^daemon\/src\/capabilities\/[^/]+\/wire\//,
    forbidden: /^daemon\/src\/capabilities\/[^/]+\/(?:v1|v2)\//,
  },
  {
    because: 'tools know their own service and core/tool, not HTTP',
    files: /^daemon\/src\/capabilities\/[^/]+\/tools\.ts$/,
    allowed: anyOf('^daemon/src/(?:core|capabilities)/', API_CORE, '^program/src/', NODE, '^npm:zod$'),
  },
  {
    because: 'without its folder v1 a capability still serves v2',
    files: /^daemon\/src\/capabilities\/[^/]+\//,
    except: /^daemon\/src\/capabilities\/[^/]+\/(?:v1\/|index\.ts$)/,
    forbidden: /^daemon\/src\/capabilities\/[^/]+\/v1\//,
  },
  {
    because: 'only adapters of v1 know what v1 alone needs',
    files: /^daemon\/src\//,
    except: /\/v1\//,
    forbidden: /^daemon\/src\/http\/v1\//,
  },
  {
    because: 'v1 stands beside v2, not on it',
    files: /^daemon\/src\/capabilities\/[^/]+\/v1\//,
    forbidden: /^daemon\/src\/capabilities\/[^/]+\/v2\//,
  },
  {
    because: 'mcp knows core and the seam',
    files: /^daemon\/src\/mcp\//,
    allowed: anyOf(
      '^daemon/src/(?:mcp|core)/',
      '^daemon/src/capability\\.ts$',
      API_CORE,
      '^program/src/',
      NODE,
      '^npm:',
    ),
  },
  {
    because: 'a protocol reaches capabilities through ports of core, never through their folders',
    files: /^daemon\/src\/protocols\/[^/]+\//,
    allowed: anyOf(
      '^daemon/src/(?:core|http|protocols)/',
      '^daemon/src/protocol\\.ts$',
      API,
      '^program/src/',
      NODE,
      '^npm:(?!fastify)',
    ),
  },
  {
    because: 'protocols can be removed: only the composition root knows them',
    files: /^daemon\/src\//,
    except: /^daemon\/src\/(?:protocols\/|(?:app|config)\.ts$)/,
    forbidden: /^daemon\/src\/protocols\//,
  },
  {
    because: 'gateway and daemon share only HTTP',
    files: /^gateway\//,
    forbidden: /^(?:api|daemon)\/|^npm:@sandbox\/(?:api|daemon)/,
  },
  {
    because: 'the browser MCP server knows what programs share, and Playwright',
    files: /^browser-mcp\/src\//,
    allowed: anyOf('^browser-mcp/', '^program/src/', NODE, '^npm:(?:@playwright/mcp|playwright-core|zod)$'),
  },
  {
    because: 'the worker of the display knows what services share, and neither daemon nor gateway',
    files: /^computer-use\/src\//,
    allowed: anyOf('^computer-use/', API, '^program/src/', NODE, '^npm:'),
  },
  {
    because: 'the domain of the worker does not know how it is served',
    files: /^computer-use\/src\/[a-z0-9-]+\//,
    except: WORKER_ADAPTER,
    forbidden: anyOf('^api/src/http/', '^npm:(?:fastify|zod)$', WORKER_ADAPTER.source),
  },
  {
    because: 'gateway and daemon share only HTTP',
    files: /^daemon\//,
    forbidden: /^(?:gateway|computer-use)\/|^npm:@sandbox\/(?:gateway|computer-use)/,
  },
];

const OTHER_CAPABILITY = 'a capability never imports another';
const OTHER_PROTOCOL = 'a protocol never imports another';
const ENVIRONMENT = 'only the configuration reads process.env';
const READS_ENVIRONMENT =
  /^(?:daemon\/src\/core\/config|gateway\/src\/config|[a-z-]+\/src\/main)\.ts$|^clients\/typescript\/src\/cli\/(?:main|stored)\.ts$|^(?:scripts|e2e\/bench)\/|^images\/(?:warm-up|proxy\/(?:main|forward))\.ts$/;
const TEST = /\.(?:test|fixture)\.ts$|\/testing\//;
const CAPABILITY = /^daemon\/src\/capabilities\/([^/]+)\//;
const PROTOCOL = /^daemon\/src\/protocols\/([^/]+)\//;

/** Violations of the rules in one file, as `file:line target: why`. Tests may import anything. */
export function importFaults(file: string, source: string, rules: readonly ImportRule[] = IMPORT_RULES): string[] {
  if (TEST.test(file)) return [];
  const imports = importsOf(source).map(({ specifier, line }) => ({ target: targetOf(file, specifier), line }));
  const faults = imports.flatMap(({ target, line }) =>
    reasonsAgainst(file, target, rules).map((because) => ({ line, text: `${target}: ${because}` })),
  );
  const reads = READS_ENVIRONMENT.test(file) ? [] : environmentReads(source);
  faults.push(...reads.map((line) => ({ line, text: `process.env: ${ENVIRONMENT}` })));
  return faults.map(({ line, text }) => `${file}:${line} ${text}`);
}

function reasonsAgainst(file: string, target: string, rules: readonly ImportRule[]): string[] {
  const broken = rules.filter(({ files, except, allowed, forbidden }) => {
    if (!files.test(file) || except?.test(file)) return false;
    return (allowed && !allowed.test(target)) || forbidden?.test(target);
  });
  const reasons = broken.map(({ because }) => because);
  if (areDifferent(CAPABILITY, file, target)) reasons.push(OTHER_CAPABILITY);
  if (areDifferent(PROTOCOL, file, target)) reasons.push(OTHER_PROTOCOL);
  return reasons;
}

function areDifferent(folder: RegExp, file: string, target: string): boolean {
  const [own, other] = [folder.exec(file)?.[1], folder.exec(target)?.[1]];
  return own !== undefined && other !== undefined && own !== other;
}

/** The target of a specifier in a file: a path in the repository, `node:x`, or `npm:x`. */
export function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  const shared = /^@sandbox\/(program|api)\/(.*)$/.exec(specifier);
  if (shared) return `${shared[1]}/src/${shared[2]}`;
  if (specifier.startsWith('node:') || specifier.startsWith('<')) return specifier;
  const [scope = '', name = ''] = specifier.split('/');
  return `npm:${scope.startsWith('@') ? `${scope}/${name}` : scope}`;
}
