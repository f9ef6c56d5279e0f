import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { RunEnvironment } from '../../core/environment/run-environment.ts';
import { isProductVariable } from '../../core/process/environment.ts';
import { type E2bCall, sendJson, sendText } from './call.ts';
import { InitBody, readBody } from './control/bodies.ts';
import type { Machine } from './control/machine-figures.ts';
import type { FileRoutes } from './files/file-routes.ts';
import type { Sandboxes } from './state/sandboxes.ts';

const MIB = 1024 ** 2;

interface EnvdParts {
  readonly files: FileRoutes;
  readonly machine: Machine;
  readonly sandboxes: Sandboxes;
  readonly environment: RunEnvironment;
  /** Whether the service has a key. */
  readonly hasKey: () => boolean;
}

/** The routes of envd beside its RPCs. */
export class EnvdRoutes {
  readonly #parts: EnvdParts;

  constructor(parts: EnvdParts) {
    this.#parts = parts;
  }

  async serve(call: E2bCall): Promise<void> {
    const { req, res, path } = call;
    const { files, machine } = this.#parts;
    switch (`${req.method} ${path}`) {
      case 'GET /health':
        return sendText(res, 204, '');
      case 'GET /files':
      case 'HEAD /files':
        return await files.read(call);
      case 'POST /files':
        return await files.write(call);
      case 'POST /files/compose':
        throw new SandboxError('unsupported', 'composing files is not served: no SDK calls it');
      case 'GET /metrics':
        return sendJson(res, 200, metricsOf(await machine.look()));
      case 'GET /envs':
        return sendJson(res, 200, this.#variables(call));
      case 'POST /init':
        return await this.#init(call);
      default:
        throw new SandboxError('not_found', `no such route: ${req.method} ${path}`);
    }
  }

  #variables({ sandbox }: E2bCall): Record<string, string> {
    const { environment, sandboxes } = this.#parts;
    const own = Object.entries(environment.current()).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !isProductVariable(entry[0]),
    );
    return { ...Object.fromEntries(own), ...sandboxes.init.envVars, ...sandbox?.envVars };
  }

  /** A token is set only while there is neither a key nor a token: none is ever replaced. */
  async #init(call: E2bCall): Promise<void> {
    const { sandboxes, hasKey } = this.#parts;
    const { envVars, accessToken, defaultUser, defaultWorkdir } = await readBody(call.req, InitBody);
    const reserved = Object.keys(envVars ?? {}).find(isProductVariable);
    if (reserved !== undefined) {
      throw new SandboxError('invalid', `envVars must not have ${reserved}, which the service keeps to itself`);
    }
    const { init } = sandboxes;
    const mayLock = init.accessToken === null && !hasKey();
    sandboxes.setInit({
      envVars: { ...init.envVars, ...envVars },
      user: defaultUser ?? init.user,
      workdir: defaultWorkdir ?? init.workdir,
      accessToken: mayLock ? (accessToken ?? null) : init.accessToken,
    });
    sendText(call.res, 204, '');
  }
}

function metricsOf({
  cpuCount,
  cpuUsedPct,
  memTotal,
  memUsed,
  memCache,
  diskUsed,
  diskTotal,
}: Awaited<ReturnType<Machine['look']>>) {
  return {
    ts: Math.floor(Date.now() / 1000),
    cpu_count: cpuCount,
    cpu_used_pct: cpuUsedPct,
    mem_total: memTotal,
    mem_used: memUsed,
    mem_cache: memCache,
    mem_total_mib: Math.floor(memTotal / MIB),
    mem_used_mib: Math.floor(memUsed / MIB),
    disk_used: diskUsed,
    disk_total: diskTotal,
  };
}
