import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ACTION, BATCH } from '@sandbox/api/http/computer/routes.ts';
import type { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { FastifyReply } from 'fastify';
import type { ActionRunner, RunTerms } from '../input/action-runner.ts';
import type { Screenshots } from '../screen/screenshots.ts';
import { actionOf, checkKeys } from './action-of.ts';
import { pictureAfter } from './picture-after.ts';

export function actionRoutes(v2: App, runner: ActionRunner, screenshots: Screenshots): void {
  v2.route({
    ...ACTION,
    handler: async ({ body, query }, reply) => {
      checkKeys([{ body, path: [] }]);
      const { failure } = await runner.run([actionOf(body)], termsOf(reply));
      if (failure && !failure.hasBegun) throw failure.error;
      const performed = { status: failure ? 'failed' : 'success', action_performed: body.action_type } as const;
      return {
        ...outcomeOf(failure?.error, body.action_type),
        data: performed,
        ...performed,
        ...(query.include_screenshot && (await pictureAfter(screenshots))),
      };
    },
  });
  v2.route({
    ...BATCH,
    handler: async ({ body: { actions, include_screenshot: wantsPicture } }, reply) => {
      checkKeys(actions.map((body, index) => ({ body, path: ['actions', index] })));
      const { performed, failure } = await runner.run(actions.map(actionOf), termsOf(reply));
      const data = {
        performed,
        failed_index: failure ? performed : null,
        error: failure?.error.message ?? null,
        status: failure ? ('failed' as const) : ('success' as const),
        reason: failure?.error.kind ?? null,
        ...(wantsPicture && (await pictureAfter(screenshots))),
      };
      return { ...outcomeOf(failure?.error, `${performed} of ${actions.length} actions`), data };
    },
  });
}

/** The daemon counts the interim responses: they say how many actions had begun if the worker dies. */
function termsOf(reply: FastifyReply): RunTerms {
  return {
    signal: clientGone(reply),
    onBegin: () => {
      if (reply.request.headers['x-progress'] !== undefined) reply.raw.writeProcessing();
    },
  };
}

function outcomeOf(error: SandboxError | undefined, done: string) {
  return {
    success: error === undefined,
    message: error?.message ?? done,
    hint: error?.details.hint ?? null,
  };
}
