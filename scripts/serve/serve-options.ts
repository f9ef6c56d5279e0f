import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Address } from './ports.ts';

export interface ServeOptions {
  readonly daemon: Address;
  readonly gateway: Address;
  /** Seconds for commands to end; the services get five more. */
  readonly stopGraceSeconds: number;
  /** Seconds without a turn of its main loop after which a service restarts; 0: never. The services check the value. */
  readonly stallSeconds: number;
  readonly daemonArgs: readonly string[];
  /** Options of the gateway in addition to the environment. */
  readonly gatewayArgs: readonly string[];
  readonly help: boolean;
}

type Programs = Readonly<Record<'sandboxd' | 'gateway', readonly string[]>>;

/** @param name how a user starts the services */
export function usageOf(name: string, { sandboxd, gateway }: Programs): string {
  const helpOf = (command: readonly string[]): string => `node ${relative('', command.at(-1) ?? '')} --help`;
  return `usage: ${name} [--port n] [--host address] [options of the daemon]

  --port, GATEWAY_PORT   public port (default: 8080)
  --host, GATEWAY_HOST   public address (default: 127.0.0.1)

Everything else goes to the daemon: ${helpOf(sandboxd)} lists it, ${helpOf(gateway)} the gateway's.
Where variables say what flags do not, they reach both services.
`;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The launcher uses the public port and address for the gateway and shares the limit for a stall with both services;
 * every other flag is the daemon's.
 * @throws Error for a flag of its own without a value
 */
export function readServeOptions(argv: readonly string[], env: Env): ServeOptions {
  const { values, tokens } = parseArgs({
    args: [...argv],
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      'stall-seconds': { type: 'string' },
      help: { type: 'boolean' },
    },
    strict: false,
    tokens: true,
  });
  const own = tokens.flatMap((token) =>
    token.kind === 'option' && ['port', 'host', 'help'].includes(token.name)
      ? [token.index, ...(token.inlineValue === false ? [token.index + 1] : [])]
      : [],
  );
  for (const name of ['port', 'host'] as const) if (values[name] === true) throw new Error(`--${name} needs a value`);
  const gatewayHost = text(values['host']) ?? (env['GATEWAY_HOST'] || '127.0.0.1');
  const gatewayPort = text(values['port']) ?? (env['GATEWAY_PORT'] || '8080');
  const stallSeconds = text(values['stall-seconds']);
  return {
    daemon: { host: env['SVC_HOST'] || '127.0.0.1', port: Number(env['SVC_PORT'] || 8091) },
    gateway: { host: gatewayHost, port: Number(gatewayPort) },
    stopGraceSeconds: Number(env['SVC_STOP_GRACE_SECONDS'] || 2),
    stallSeconds: Number(stallSeconds ?? (env['SVC_STALL_SECONDS'] || 10)),
    daemonArgs: argv.filter((_, index) => !own.includes(index)),
    gatewayArgs: [
      ...['--host', gatewayHost, '--port', gatewayPort],
      ...(stallSeconds === undefined ? [] : ['--stall-seconds', stallSeconds]),
    ],
    help: values['help'] === true,
  };
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
