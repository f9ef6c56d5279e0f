import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf } from '@sandbox/api/http/envelope.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { Text } from '../../../http/fields.ts';
import type { BrowserService } from '../browser-service.ts';
import { withEffects } from '../effects/effects.ts';
import type { Acted } from '../element/click.ts';
import type { Filled } from '../element/fill.ts';
import type { Target } from '../element/find-element.ts';
import { dragBetween, hover } from '../element/hover.ts';
import type { Point } from '../element/point.ts';
import { PATHS_MAX } from '../element/upload.ts';
import type { Outcome } from '../page/outcome.ts';
import type { Tab } from '../tabs/tab.ts';
import {
  answerOf,
  browserErrors,
  EffectFields,
  effectFields,
  type Surface,
  seconds,
  TabId,
  TargetFields,
  tags,
} from './surface.ts';

const Coordinate = z.number().min(0).max(100_000).optional();
const { tab_id: _tab, ...Names } = TargetFields;
/** An element or a point of the page. */
const Place = z.object({
  ...Names,
  x: Coordinate.meta({ description: 'With y: a point of the page instead of an element.' }),
  y: Coordinate,
});

const HoverBody = z
  .object({ ...Place.shape, tab_id: TabId, timeout: seconds(10) })
  .meta({ id: 'HoverInBrowser', example: { selector: 'a' } });

const DragBody = z
  .object({
    ...Place.shape,
    to: Place.meta({ description: 'Where it is dropped.' }),
    tab_id: TabId,
    timeout: seconds(10),
  })
  .meta({ id: 'DragInBrowser', example: { selector: 'h1', to: { x: 100, y: 100 } } });

const ClickBody = z
  .object({
    ...Place.shape,
    tab_id: TabId,
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

const SelectBody = z
  .object({
    ...TargetFields,
    values: z.array(Value).min(1).max(1000).meta({ description: 'Options, by value, label or text.' }),
    timeout: seconds(10),
  })
  .meta({ id: 'SelectInBrowser', example: { selector: 'select', values: ['large'] } });

const UploadBody = z
  .object({
    ...TargetFields,
    paths: z.array(Text.min(1).max(4096)).max(PATHS_MAX).meta({
      description: 'Paths of files of the sandbox: absolute; on /v2 also `~`, `~user`, or relative to the home.',
    }),
    timeout: seconds(10),
  })
  .meta({ id: 'UploadInBrowser', example: { selector: 'input[type=file]', paths: ['/tmp/example/hello.txt'] } });

const ActedFields = {
  tab_id: z.string(),
  element: z.string().nullable().meta({ description: 'The element, as its opening tag.' }),
  x: z.int().nullable(),
  y: z.int().nullable(),
} as const;
const ClickedFields = z.object({ ...ActedFields, ...EffectFields }).meta({ id: 'BrowserClicked' });
const FilledFields = z
  .object({
    ...ActedFields,
    ...EffectFields,
    value: z.string().nullable().meta({ description: 'What the field holds now; null if that is not known.' }),
  })
  .meta({ id: 'BrowserFilled' });
const UploadedFields = z
  .object({ ...ActedFields, files: z.array(z.object({ name: z.string(), size: z.int() })).nullable() })
  .meta({ id: 'BrowserUploaded' });

function actedFields({ tabId, element, x, y }: Acted) {
  return { tab_id: tabId, element, x, y };
}

function filledFields(filled: Filled) {
  return { ...actedFields(filled), value: filled.value };
}

/** The answer of a call that acts, with what it did besides. */
async function acted<T, W extends object>(
  service: BrowserService,
  tab: Tab,
  act: () => Promise<Outcome<T>>,
  fields: (data: T) => W,
) {
  const { effects, ...outcome } = await withEffects(tab, act);
  const besides = await effectFields(service, effects);
  return answerOf(outcome, (data) => ({ ...fields(data), ...besides }));
}

/** An element, or a point. @throws SandboxError `invalid` if it is neither or both */
function placeOf({ ref, selector, x, y }: z.infer<typeof Place>): Target | Point {
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
      summary: 'Click an element or a point',
      description: 'Scrolls into view and waits until the element is visible, enabled, at rest and not covered.',
      body: ClickBody,
      response: { 200: envelopeOf(ClickedFields), ...errors },
    },
    handler: async ({ body }) => {
      const to = placeOf(body);
      const terms = { button: body.button, clickCount: body.click_count, timeoutMs: body.timeout * 1000 };
      const tab = await service.tab(body.tab_id);
      return acted(service, tab, () => service.suite.click(tab, to, terms), actedFields);
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
      const tab = await service.tab(tab_id);
      return acted(service, tab, () => service.suite.fill(tab, { ref, selector }, terms), filledFields);
    },
  });

  app.post('/browser/select', {
    schema: {
      tags,
      operationId: 'selectOptions',
      summary: 'Choose options of a list',
      body: SelectBody,
      response: { 200: envelopeOf(FilledFields), ...errors },
    },
    handler: async ({ body: { ref, selector, values, timeout, tab_id } }) => {
      const terms = { values, timeoutMs: timeout * 1000, only: 'select' } as const;
      const tab = await service.tab(tab_id);
      return acted(service, tab, () => service.suite.fill(tab, { ref, selector }, terms), filledFields);
    },
  });

  app.post('/browser/hover', {
    schema: {
      tags,
      operationId: 'hoverElement',
      summary: 'Point at an element or a point',
      body: HoverBody,
      response: { 200: envelopeOf(ClickedFields), ...errors },
    },
    handler: async ({ body }) => {
      const to = placeOf(body);
      const tab = await service.tab(body.tab_id);
      return acted(service, tab, () => hover(tab, to, body.timeout * 1000), actedFields);
    },
  });

  app.post('/browser/drag', {
    schema: {
      tags,
      operationId: 'dragElement',
      summary: 'Drag an element or a point to another one',
      body: DragBody,
      response: { 200: envelopeOf(ClickedFields), ...errors },
    },
    handler: async ({ body }) => {
      const [from, to] = [placeOf(body), placeOf(body.to)];
      const tab = await service.tab(body.tab_id);
      return acted(service, tab, () => dragBetween(tab, from, to, body.timeout * 1000), actedFields);
    },
  });

  app.post('/browser/upload', {
    schema: {
      tags,
      operationId: 'giveFiles',
      summary: 'Give files to a file field, or to the chooser of an element',
      body: UploadBody,
      response: { 200: envelopeOf(UploadedFields), ...errors },
    },
    handler: async ({ body: { ref, selector, paths: given, timeout, tab_id } }) => {
      const paths = surface.hasShellPaths ? given.map((path) => service.paths.resolve(path)) : given;
      const terms = { paths, timeoutMs: timeout * 1000 };
      const outcome = await service.suite.upload(await service.tab(tab_id), { ref, selector }, terms);
      return answerOf(outcome, (uploaded) => ({ ...actedFields(uploaded), files: uploaded.files?.slice() ?? null }));
    },
  });
}
