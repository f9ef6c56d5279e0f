import type { App } from '@sandbox/api/http/app-types.ts';
import { INFO } from '@sandbox/api/http/computer/routes.ts';
import { ok } from '@sandbox/api/http/envelope.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { PartState } from '../part.ts';
import { type ScreenSize, screenSize } from '../screen/screen-size.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { XLink } from '../x11/x-link.ts';
import type { XSession } from '../x11/x-session.ts';

const LACKING: Readonly<Record<string, string>> = {
  XTEST: 'without XTEST no action reaches the display',
  DAMAGE: 'without DAMAGE screenshots have no etag',
  XFIXES: 'without XFIXES screenshots are without the pointer',
  RANDR: 'without RANDR the display keeps its size',
  'MIT-SHM': 'without MIT-SHM screenshots take longer',
};

/** What the worker serves now, as `GET /capabilities` of its port and `GET /v2/computer/info`. */
export function infoRoutes(app: App, v2: App, worker: WorkerContext): void {
  const describe = async () => {
    const { config, link, parts } = worker;
    const reached = await reach(link).catch(reasonOf);
    const isThere = !(reached instanceof SandboxError);
    const states = new Map<string, PartState>();
    for (const part of parts.list) states.set(part.name, await part.state());
    const warnings = isThere ? reached.session.missing.map((name) => LACKING[name] ?? name) : [reached.message];
    return {
      available: isThere,
      display: link.name,
      xauthority: config.xauthority ?? null,
      screen_resolution: isThere ? reached.size : null,
      capabilities: {
        screenshot: isThere,
        actions: isThere && reached.session.extension('xtest') !== undefined,
        clipboard: isThere,
        recording: states.get('recording')?.available ?? false,
        accessibility: states.get('accessibility')?.available ?? false,
      },
      warnings: [...warnings, ...[...states.values()].flatMap(({ warning }) => warning ?? [])],
    };
  };
  app.get('/capabilities', async () => ok(await describe(), 'capabilities'));
  v2.route({ ...INFO, handler: async () => ok(await describe(), 'computer info') });
}

async function reach(link: XLink): Promise<{ readonly session: XSession; readonly size: ScreenSize }> {
  const session = await link.use();
  return { session, size: await screenSize(session) };
}

function reasonOf(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  throw error;
}
