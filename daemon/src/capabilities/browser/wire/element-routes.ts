import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf } from '@sandbox/api/http/envelope.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { Text } from '../../../http/fields.ts';
import type { BrowserService } from '../browser-service.ts';
import type { Acted } from '../element/click.ts';
import type { Target } from '../element/find-element.ts';
import type { Point } from '../element/point.ts';
import { PATHS_MAX } from '../element/upload.ts';
import { answerOf, browserErrors, type Surface, seconds, TargetFields, tags } from './surface.ts';

const ClickBody = z
  .object({
    ...TargetFields,
    x: z
      .number()
      .min(0)
      .max(100_000)
      .optional()
      .meta({ description: 'With y: a point of the page instead of an element.' }),
    y: z.number().min(0).max(100_000).optional(),
    button: z.enum(['left', 'right', 'middle']).default('left'),
    click_count: z.int().min(1).max(3).default(1),
    timeout: seconds(10),
  })
  .meta({ id: 'ClickInBrowser', example: { selector: 'a' } });

const Value = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const FillBody = z
  .object({
    ...TargetFields,
    value: z.union([Value, z.array(Value).max(1000)]).meta({
      description: 'Text; an option by value or label, or a list of them; true or false for a checkbox.',
    }),
    timeout: seconds(10),
  })
  .meta({ id: 'FillInBrowser', example: { selector: 'input', value: 'hello' } });

const UploadBody = z
  .object({
    ...TargetFields,
    paths: z
      .array(Text.min(1).max(4096))
      .max(PATHS_MAX)
      .meta({ description: 'Absolute paths of files of the sandbox.' }),
    timeout: seconds(10),
  })
  .meta({ id: 'UploadInBrowser', example: { selector: 'input[type=file]', paths: ['/tmp/example/hello.txt'] } });

const ActedFields = {
  tab_id: z.string(),
  element: z.string().nullable().meta({ description: 'The element, as its opening tag.' }),
  x: z.int().nullable(),
  y: z.int().nullable(),
} as const;
const ClickedFields = z.object(ActedFields).meta({ id: 'BrowserClicked' });
const FilledFields = z
  .object({
    ...ActedFields,
    value: z.string().nullable().meta({ description: 'What the field holds now; null if that is not known.' }),
  })
  .meta({ id: 'BrowserFilled' });
const UploadedFields = z
  .object({ ...ActedFields, files: z.array(z.object({ name: z.string(), size: z.int() })).nullable() })
  .meta({ id: 'BrowserUploaded' });

function actedFields({ tabId, element, x, y }: Acted): z.infer<typeof ClickedFields> {
  return { tab_id: tabId, element, x, y };
}

/** An element, or a point. @throws SandboxError `invalid` if it is neither or both */
function clickedOf({ ref, selector, x, y }: z.infer<typeof ClickBody>): Target | Point {
  if (x === undefined && y === undefined) return { ref, selector };
  if (x === undefined || y === undefined) throw new SandboxError('invalid', 'x and y are given together');
  if (ref !== undefined || selector !== undefined) {
    throw new SandboxError('invalid', 'a point excludes ref and selector', { field: 'x' });
  }
  return { x, y };
}

export function elementRoutes(app: App, service: BrowserService, surface: Surface): void {
  const errors = browserErrors(surface);

  app.post('/browser/click', {
    schema: {
      tags,
      operationId: 'clickElement',
      summary: 'Click an element or a point of the page',
      description: 'Scrolls into view and waits until the element is visible, enabled, at rest and not covered.',
      body: ClickBody,
      response: { 200: envelopeOf(ClickedFields), ...errors },
    },
    handler: async ({ body }) => {
      const to = clickedOf(body);
      const terms = { button: body.button, clickCount: body.click_count, timeoutMs: body.timeout * 1000 };
      return answerOf(await service.suite.click(await service.tab(body.tab_id), to, terms), actedFields);
    },
  });

  app.post('/browser/fill', {
    schema: {
      tags,
      operationId: 'fillField',
      summary: 'Fill a field, choose an option, set a checkbox',
      body: FillBody,
      response: { 200: envelopeOf(FilledFields), ...errors },
    },
    handler: async ({ body: { ref, selector, value, timeout, tab_id } }) => {
      const terms = { values: [value].flat(), timeoutMs: timeout * 1000 };
      const outcome = await service.suite.fill(await service.tab(tab_id), { ref, selector }, terms);
      return answerOf(outcome, (filled) => ({ ...actedFields(filled), value: filled.value }));
    },
  });

  app.post('/browser/upload', {
    schema: {
      tags,
      operationId: 'giveFiles',
      summary: 'Give files to a file field, or to the file chooser that an element opens',
      body: UploadBody,
      response: { 200: envelopeOf(UploadedFields), ...errors },
    },
    handler: async ({ body: { ref, selector, paths, timeout, tab_id } }) => {
      const terms = { paths, timeoutMs: timeout * 1000 };
      const outcome = await service.suite.upload(await service.tab(tab_id), { ref, selector }, terms);
      return answerOf(outcome, (uploaded) => ({ ...actedFields(uploaded), files: uploaded.files?.slice() ?? null }));
    },
  });
}
