import type { Logger } from '@sandbox/program/logger.ts';
import type { OptionShape, OptionValues } from '@sandbox/program/options.ts';
import type { Core } from './core/core.ts';
import type { Port, PortReader } from './core/ports/port.ts';
import type {
  MountedProtocol,
  ProtocolPlace,
  ProtocolRefusal,
  ProtocolReport,
  ProtocolService,
} from './http/protocols/protocol.ts';

/** What a protocol is made from: no process of its own. */
export type ProtocolCore = Omit<Core, 'processes' | 'tickets' | 'tracing'>;

/** A foreign wire format over the services of the capabilities, which it reaches through their ports alone. */
interface ProtocolDefinition<O extends OptionShape> {
  readonly name: string;
  /** Its options: part of the configuration, `--help` and the README's table. */
  readonly options?: O;
  /** Ports that it reads. */
  readonly uses?: readonly Port<unknown>[];
  /** The body of an error in the words of the protocol, also of the gate's refusals. */
  readonly refusal: ProtocolRefusal;
  /** False: it has no routes. */
  readonly isServed?: (options: OptionValues<O>) => boolean;
  /** Its routes beside the prefix, for clients that take no base URL with a path. */
  readonly places?: (options: OptionValues<O>) => readonly ProtocolPlace[];
  /** Header in lower case by which a credential of the protocol opens previews. */
  readonly previewCredential?: string;
  /** Whether something of an earlier daemon waits for it in its directory, so that it must not wait for a request. */
  readonly isPending?: (directory: string) => boolean;
  /** Its service, made at the first request. @param directory for its records */
  readonly load: (
    core: ProtocolCore,
    options: OptionValues<O>,
    ports: PortReader,
    directory: string,
  ) => Promise<ProtocolService>;
  /** How far it conforms, for `/v1/capabilities`. */
  readonly report: (options: OptionValues<O>) => Omit<ProtocolReport, 'name' | 'path'>;
}

/** What the composition root knows of a protocol before it is used. */
export interface Protocol<O extends OptionShape = OptionShape> {
  readonly name: string;
  readonly options: O;
  /** Paths of its places that need no key. */
  readonly publicPaths: (config: Readonly<Record<string, unknown>>) => readonly string[];
  readonly mount: (
    core: ProtocolCore,
    config: Readonly<Record<string, unknown>>,
    readerOf: (uses: readonly Port<unknown>[]) => PortReader,
    logger: Logger,
  ) => MountedProtocol;
}

/** The seam: a protocol is a folder and one line in `protocols/index.ts`. */
export function defineProtocol<O extends OptionShape = Record<never, never>>(
  definition: ProtocolDefinition<O>,
): Protocol<O> {
  const { name, options = {} as O, uses = [], refusal, isPending, load, report } = definition;
  const { isServed = () => true, places = () => [], previewCredential } = definition;
  const ownOf = (config: Readonly<Record<string, unknown>>): OptionValues<O> =>
    Object.fromEntries(Object.keys(options).map((key) => [key, config[key]])) as OptionValues<O>;
  return {
    name,
    options,
    publicPaths: (config) => places(ownOf(config)).flatMap(({ url, isPublic }) => (isPublic ? [url] : [])),
    mount: (core, config, readerOf, logger) => {
      const own = ownOf(config);
      const ports = readerOf(uses);
      const directoryOf = (): string => core.runtime.directory(`protocols/${name}`);
      return {
        name,
        prefix: `/compat/${name}`,
        isServed: isServed(own),
        places: places(own),
        previewCredential,
        refusal,
        load: () => load(core, own, ports, directoryOf()),
        isPending: () => isPending?.(directoryOf()) ?? false,
        report: () => ({ name, path: `/compat/${name}`, ...report(own) }),
        logger,
      };
    },
  };
}
