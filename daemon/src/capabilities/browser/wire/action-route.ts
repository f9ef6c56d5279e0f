import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import type { BrowserService } from '../browser-service.ts';
import { ActionBody, actionOf } from './action.ts';
import { answerOf, browserErrors, EffectFields, effectFields, Flag, type Surface, tags } from './surface.ts';

const ActionQuery = z.object({ include_screenshot: Flag.optional() });

const Performed = { status: z.enum(['success', 'failed']), action_performed: z.string() } as const;
const ActionAnswer = envelopeOf(z.object({ ...Performed, tab_id: z.string().nullable(), ...EffectFields })).extend({
  ...Performed,
  screenshot: z.string().optional().meta({ description: 'PNG in base64.' }),
  screenshot_error: z.string().optional(),
});

export function actionRoute(app: App, service: BrowserService, surface: Surface): void {
  app.post('/browser/actions', {
    schema: {
      tags,
      operationId: 'actInBrowser',
      summary: 'Move the pointer, click, drag, scroll, type',
      description:
        'Coordinates are pixels of GET screenshot. Without a worker of the display they are those of the page.',
      querystring: ActionQuery,
      body: ActionBody,
      response: { 200: ActionAnswer, ...browserErrors(surface) },
    },
    handler: async ({ id: requestId, body, query: { include_screenshot: wantsPicture = false } }) => {
      const { outcome, effects, picture } = await service.act(actionOf(body), body.tab_id, { wantsPicture, requestId });
      const performed = { status: outcome.success ? 'success' : 'failed', action_performed: body.action_type } as const;
      const besides = await effectFields(service, effects);
      const envelope = answerOf(outcome, ({ tabId }) => ({ ...performed, tab_id: tabId, ...besides }));
      return { ...envelope, ...performed, ...picture };
    },
  });
}
