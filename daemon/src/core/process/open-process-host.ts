import type { Logger } from '@sandbox/program/logger.ts';
import type { CoreConfig } from '../config.ts';
import type { RuntimeDir } from '../runtime-dir.ts';
import { SilentKeeper } from './keeper/keeper-connection.ts';
import { KeeperHost } from './keeper/keeper-host.ts';
import { keeperProgram } from './keeper/keeper-program.ts';
import { PortableHost } from './portable/portable-host.ts';
import type { ProcessHost } from './process-host.ts';

type Wish = Pick<CoreConfig, 'processHost' | 'keeperProgram'>;

/**
 * Opens the process host that the configuration selects, and logs one line that names it.
 * @throws Error in one line if a keeper is required and not available
 */
export async function openProcessHost(wish: Wish, runtime: RuntimeDir, logger: Logger): Promise<ProcessHost> {
  const report = (details: object, message: string): void => logger.error(details, message);
  if (wish.processHost === 'portable') return portable(runtime, logger, 'SVC_PROCESS_HOST says so');
  if (wish.processHost === 'supervised') {
    logger.info('waiting for the process keeper, which a supervisor starts');
    return joined(await KeeperHost.open({ directory: runtime.path, report }), logger);
  }
  const { path, isThere } = keeperProgram(wish.keeperProgram);
  const isDemanded = wish.processHost === 'keeper' || wish.keeperProgram !== undefined;
  if (!isThere && isDemanded) {
    throw new Error(
      `no process keeper can be run at ${path}; build it with a C compiler, or set SVC_PROCESS_HOST=portable`,
    );
  }
  if (!isThere) return portable(runtime, logger, `no process keeper can be run at ${path}`);
  try {
    return joined(await KeeperHost.open({ directory: runtime.path, program: path, report }), logger);
  } catch (error) {
    // A keeper that is silent may hold commands, which another host would take for lost.
    if (isDemanded || error instanceof SilentKeeper) throw error;
    logger.warn({ err: error }, 'the process keeper does not serve here');
    return portable(runtime, logger, 'the process keeper does not serve here');
  }
}

function joined(host: KeeperHost, logger: Logger): KeeperHost {
  logger.info(
    { host: host.name, keeper: host.keeperPid },
    'commands are held by the process keeper and outlive the daemon',
  );
  return host;
}

function portable(runtime: RuntimeDir, logger: Logger, reason: string): PortableHost {
  logger.info({ host: 'portable', reason }, 'commands are held by the daemon and end with it');
  return new PortableHost({ output: runtime.directory('output'), scratch: runtime.directory('scratch') });
}
