import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import type { BrowserService } from '../browser-service.ts';
import { browserErrors, EffectFields, type Surface, TabId, tags } from './surface.ts';

const Policy = z
  .enum(['wait', 'accept', 'dismiss'])
  .meta({ description: 'What becomes of dialogs that open in any tab: wait for a call, or an answer at once.' });

const DialogBody = z
  .object({
    accept: z.boolean().optional().meta({ description: 'Answers the dialog that is open.' }),
    prompt_text: z.string().max(1_000_000).optional().meta({ description: 'What is typed into a prompt.' }),
    policy: Policy.optional(),
    tab_id: TabId,
  })
  .meta({ id: 'AnswerBrowserDialog', example: { policy: 'wait' } });

const DialogFields = z
  .object({
    dialog: EffectFields.dialog.meta({ description: 'The dialog that is open, or was answered.' }),
    policy: Policy,
    tab_id: z.string().nullable(),
  })
  .meta({ id: 'BrowserDialog' });

export function dialogRoutes(app: App, service: BrowserService, surface: Surface): void {
  const errors = browserErrors(surface);
  const response = { 200: envelopeOf(DialogFields), ...errors };

  app.get('/browser/dialog', {
    schema: {
      tags,
      operationId: 'getDialog',
      summary: 'Show the dialog of a tab',
      description: 'And what becomes of new ones.',
      querystring: z.object({ tab_id: TabId }),
      response,
    },
    handler: async ({ query: { tab_id } }) => {
      const { dialog = null, id } = await service.tab(tab_id);
      const data = { dialog, policy: service.dialogs.policy, tab_id: id };
      return ok(data, dialog ? `the tab shows a dialog (${dialog.type})` : 'the tab shows no dialog');
    },
  });

  app.post('/browser/dialog', {
    schema: {
      tags,
      operationId: 'answerDialog',
      summary: 'Answer a dialog, or set what becomes of new ones',
      body: DialogBody,
      response,
    },
    handler: async ({ body: { accept, prompt_text, policy, tab_id } }) => {
      if (accept === undefined && policy === undefined) {
        throw new SandboxError('invalid', 'or policy is required', { field: 'accept' });
      }
      const answered = accept === undefined ? undefined : await answer(service, tab_id, accept, prompt_text);
      if (policy !== undefined) service.dialogs.policy = policy;
      const data = { dialog: null, tab_id: null, ...answered, policy: service.dialogs.policy };
      return ok(data, `${answered ? `${accept ? 'accepted' : 'dismissed'} the dialog; ` : ''}new ones: ${data.policy}`);
    },
  });
}

async function answer(service: BrowserService, id: string | undefined, accept: boolean, text: string | undefined) {
  const tab = await service.tab(id);
  return { dialog: await tab.answerDialog(accept, text), tab_id: tab.id };
}
