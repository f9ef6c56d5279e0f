import { homedir } from 'node:os';
import { join } from 'node:path';
import { stallSeconds } from '@sandbox/program/heartbeat/stall-option.ts';
import {
  boolean,
  list,
  named,
  type OptionValues,
  port,
  ports,
  seconds,
  wholeNumber,
} from '@sandbox/program/options.ts';
import { accessLog, logLevel, validateResponses } from '@sandbox/program/service-options.ts';
import { otlpEndpoint } from '@sandbox/program/tracing/otlp-option.ts';
import { trustedProxies } from '@sandbox/program/trusted-proxies.ts';
import { z } from 'zod';

const PROCESS_HOSTS = ['auto', 'keeper', 'supervised', 'portable'] as const;

const SANDBOX_ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The options that belong to no capability. */
export const CORE_OPTIONS = {
  host: named(z.string().default('127.0.0.1'), {
    env: 'SVC_HOST',
    flag: 'host',
    description: 'Address the daemon listens on.',
  }),
  port: named(port().default(8091), { env: 'SVC_PORT', flag: 'port', description: 'Port the daemon listens on.' }),
  gatewayHost: named(z.string().default('127.0.0.1'), {
    env: 'GATEWAY_HOST',
    flag: 'gateway-host',
    description: 'Address of the gateway in front. Beyond loopback and without a key, a warning is logged.',
  }),
  apiKey: named(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'expected visible ASCII characters')
      .optional(),
    {
      env: 'SVC_API_KEY',
      aliases: ['SANDBOX_API_KEY'],
      flag: 'api-key',
      description:
        'Key that every request except the public ones requires. Unset: open to anyone who can reach the service.',
      secret: true,
    },
  ),
  apiKeyFile: named(z.string().optional(), {
    env: 'SVC_API_KEY_FILE',
    flag: 'api-key-file',
    description: 'File with the key, used if the key itself is not set; read again when it changes.',
  }),
  accessKeysFile: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_ACCESS_KEYS_FILE',
    flag: 'access-keys-file',
    description:
      'File with named keys, a JSON object a line (name, key or sha256, scopes, expires_at); read again when it ' +
      'changes. With it every request needs a key, also while the file is empty or missing.',
  }),
  claimTokenFile: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_CLAIM_TOKEN_FILE',
    flag: 'claim-token-file',
    description:
      'File with the token of POST /v2/sandbox/claim, by which a sandbox of a pool gets key, environment, origins and ' +
      'labels once. Without a key nothing else is served until then.',
  }),
  claimPublicKeyFile: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_CLAIM_PUBLIC_KEY_FILE',
    flag: 'claim-public-key-file',
    description:
      'File with an Ed25519 public key in PEM, instead of a claim token: a claim is a statement about this pod, signed ' +
      'with its private key. Needs SVC_POD_UID.',
  }),
  podUid: named(z.string().max(256).optional(), {
    env: 'SVC_POD_UID',
    flag: 'pod-uid',
    description: 'Unique id of the pod (metadata.uid, by the downward API), which a signed claim names.',
  }),
  claimAgain: named(boolean().default(false), {
    env: 'SVC_CLAIM_AGAIN',
    flag: 'claim-again',
    description: 'Accept a claim although a restart of the container forgets it: no mount holds SVC_RUNTIME_DIR.',
  }),
  kubernetes: named(z.string().optional(), {
    env: 'KUBERNETES_SERVICE_HOST',
    flag: 'kubernetes-service-host',
    description: 'Set by Kubernetes: a pool is then claimed only if a mount holds SVC_RUNTIME_DIR.',
  }),
  envDir: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_ENV_DIR',
    flag: 'env-dir',
    description:
      'Directory of environment files for commands and terminals: NAME=value lines in *.env, or one value in a file ' +
      'named as its variable; read again when they change.',
  }),
  defaultUser: named(z.string().optional(), {
    env: 'SVC_DEFAULT_USER',
    flag: 'default-user',
    description: 'Account that commands run as unless the call names one. Unset: the account of the daemon.',
  }),
  runtimeDir: named(z.string().startsWith('/', 'expected an absolute path').default(defaultRuntimeDir()), {
    env: 'SVC_RUNTIME_DIR',
    flag: 'runtime-dir',
    description: 'Private directory (mode 0700) for records, output and sockets.',
  }),
  processHost: named(z.enum(PROCESS_HOSTS, { error: `expected one of ${PROCESS_HOSTS.join(', ')}` }).default('auto'), {
    env: 'SVC_PROCESS_HOST',
    flag: 'process-host',
    description:
      'Holder of commands. keeper: a separate process, so that they outlive the daemon. supervised: a keeper that a ' +
      'supervisor starts and the daemon waits for. portable: the daemon itself. auto: the keeper if it was built.',
  }),
  keeperProgram: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_KEEPER_PROGRAM',
    flag: 'keeper-program',
    description: "Path of the keeper's program. Unset: the one built with the daemon.",
  }),
  programStates: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_PROGRAM_STATES',
    flag: 'program-states',
    description:
      'File of a supervisor with the states of its programs: GET /health?ready is 503 while one of them does not run. ' +
      'The images set it.',
  }),
  allowedHosts: named(list().default([]), {
    env: 'SVC_ALLOWED_HOSTS',
    flag: 'allowed-hosts',
    description:
      'Host names accepted without a key, besides IP addresses, dotless names and *.localhost; comma separated. ' +
      'The * of *.name and *-name matches within one label, **.name one label or several.',
  }),
  allowedOrigins: named(list().default([]), {
    env: 'SVC_ALLOWED_ORIGINS',
    flag: 'allowed-origins',
    description: 'Web origins (https://app.example) with pages that may call the service; comma separated.',
  }),
  trustedProxies: named(trustedProxies().default(['loopback']), {
    env: 'SVC_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    description: 'Addresses and networks of proxies with trusted X-Forwarded-* headers; comma separated.',
  }),
  publicPorts: named(ports().default([]), {
    env: 'SVC_PUBLIC_PORTS',
    flag: 'public-ports',
    description: 'Ports inside the sandbox whose previews need no credential; comma separated.',
  }),
  strict: named(boolean().default(true), {
    env: 'SVC_STRICT',
    flag: 'strict',
    description:
      'Whether /v2 answers 422 to a request with an unknown field, and /mcp an error to an unknown argument. ' +
      'false: they are ignored, as on /v1.',
  }),
  stopGraceSeconds: named(seconds(0, 600).default(2), {
    env: 'SVC_STOP_GRACE_SECONDS',
    flag: 'stop-grace-seconds',
    description: 'Seconds between SIGTERM and SIGKILL of running commands when the daemon stops.',
  }),
  memoryGuard: named(wholeNumber(0, 99).default(0), {
    env: 'SVC_MEMORY_GUARD',
    flag: 'memory-guard',
    description:
      "Percent of the container's memory limit at which the largest command is ended, before the kernel chooses a " +
      'process; 0: off.',
  }),
  stallSeconds: stallSeconds(),
  otlpEndpoint: otlpEndpoint(),
  activityQuietSeconds: named(seconds(0.05, 3600).default(10), {
    env: 'SVC_ACTIVITY_QUIET_SECONDS',
    flag: 'activity-quiet-seconds',
    description:
      'Seconds without input and output after which a terminal at its prompt keeps the sandbox busy no more.',
  }),
  idleStopSeconds: named(seconds(0, 31_536_000).default(0), {
    env: 'SVC_IDLE_STOP_SECONDS',
    flag: 'idle-stop-seconds',
    description: 'Stop, and the container with it, when nothing has used the sandbox for that long; 0: never.',
  }),
  sandboxId: named(z.string().regex(SANDBOX_ID, 'expected a label of a host name in lower case').optional(), {
    env: 'SVC_SANDBOX_ID',
    flag: 'sandbox-id',
    description: 'Id of this sandbox for foreign protocols; by default made from the host name.',
  }),
  protocolShared: named(boolean().default(false), {
    env: 'SVC_PROTOCOL_SHARED',
    flag: 'protocol-shared',
    description: 'Each create of a foreign protocol gets an id of its own on this machine, instead of 429.',
  }),
  protocolShutdown: named(boolean().default(false), {
    env: 'SVC_PROTOCOL_SHUTDOWN',
    flag: 'protocol-shutdown',
    description: 'Stop, and the container with it, when the last sandbox of a foreign protocol is ended or over.',
  }),
  jwtPublicKey: named(z.string().optional(), {
    env: 'JWT_PUBLIC_KEY',
    flag: 'jwt-public-key',
    description: 'Option of 1.x without effect. If SVC_API_KEY is unset, the service is open and logs a warning.',
    secret: true,
  }),
  validateResponses: validateResponses(),
  accessLog: accessLog(),
  logLevel: logLevel(),
} as const;

export type CoreConfig = OptionValues<typeof CORE_OPTIONS>;

/** The environment that the daemon was started with; commands inherit it less the product's own variables. */
export function inheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** A private directory of the user that survives a restart. */
export function defaultRuntimeDir(): string {
  const state = process.env['XDG_STATE_HOME'];
  return join(state?.startsWith('/') ? state : join(homedir(), '.local', 'state'), 'sandboxd');
}
