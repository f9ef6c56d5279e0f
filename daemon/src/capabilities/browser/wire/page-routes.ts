import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { oneValue } from '@sandbox/api/http/fields/one-value.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import type { BrowserService } from '../browser-service.ts';
import { withEffects } from '../effects/effects.ts';
import { type Arrival, type Destination, navigate } from '../navigate/navigate.ts';
import { WAIT_UNTIL } from '../navigate/navigation-watch.ts';
import { WAIT_FOR, type WaitKind, waitInPage } from '../navigate/wait.ts';
import { evaluate, requireExpression } from '../page/evaluate.ts';
import {
  answerOf,
  browserErrors,
  DownloadPart,
  EffectFields,
  effectFields,
  type Surface,
  seconds,
  TabId,
  tags,
} from './surface.ts';

const NavigateBody = z
  .object({
    url: z.string().min(1).optional(),
    history: z.enum(['back', 'forward', 'reload']).optional().meta({ description: 'Instead of url.' }),
    wait_until: z.enum(WAIT_UNTIL).default('load'),
    timeout: seconds(30),
    tab_id: TabId,
  })
  .meta({ id: 'NavigateBrowser', example: { url: 'about:blank' } });

const ArrivalFields = z
  .object({
    url: z.string(),
    title: z.string(),
    status: z.int().nullable().meta({ description: 'HTTP status; null if the address has none.' }),
    tab_id: z.string(),
    error: z
      .object({ reason: z.string(), code: z.string().nullable() })
      .nullable()
      .meta({
        description:
          'dns, refused, tls, blocked, timeout, redirects, download, not_found, proxy, unreachable, aborted, crashed, ' +
          "closed or network; code is Chromium's.",
      }),
    ...EffectFields,
    download: z
      .object({ url: z.string(), filename: z.string(), ...DownloadPart.shape })
      .nullable()
      .meta({ description: 'The file that the address is; path once it is complete.' }),
  })
  .meta({ id: 'BrowserArrival' });

function arrivalFields(
  { tabId, download, ...arrival }: Arrival,
  besides: Awaited<ReturnType<typeof effectFields>>,
): z.infer<typeof ArrivalFields> {
  const { download: known, ...rest } = besides;
  const { filename = '' } = download ?? {};
  const file = known ?? { id: '', name: filename, path: null, state: 'in_progress' };
  return { ...arrival, ...rest, download: download && { ...download, ...file }, tab_id: tabId };
}

/** @throws SandboxError `invalid` unless exactly one is given */
function destinationOf({ url, history }: z.infer<typeof NavigateBody>): Destination {
  if (url !== undefined && history === undefined) return { url };
  if (url === undefined && history !== undefined) return { history };
  throw new SandboxError('invalid', 'either url or history is required');
}

const EvaluateBody = z
  .object({
    expression: z.string(),
    await_promise: z.boolean().default(true),
    timeout: seconds(30),
    tab_id: TabId,
  })
  .meta({ id: 'EvaluateInBrowser', example: { expression: 'document.title' } });

const EvaluatedFields = z
  .object({
    result: z.unknown().meta({ description: 'The value as JSON; null if it has none.' }),
    type: z.string().meta({ description: 'typeof, or the kind of object: null, array, date, error, node.' }),
    tab_id: z.string(),
  })
  .meta({ id: 'BrowserEvaluated' });

const WaitBody = z
  .object({
    for: z
      .enum(WAIT_FOR)
      .optional()
      .meta({ description: 'May be left out where selector, url, text or function is given.' }),
    value: z.string().max(65_536).optional(),
    selector: z.string().max(16_384).optional().meta({ description: 'Until an element that matches is visible.' }),
    url: z
      .string()
      .max(16_384)
      .optional()
      .meta({ description: 'A part of the address, or all of it with * for any text.' }),
    text: z.string().max(16_384).optional().meta({ description: 'Until the page shows the text.' }),
    function: z.string().max(65_536).optional().meta({ description: 'An expression or a function that becomes true.' }),
    timeout: seconds(30),
    tab_id: TabId,
  })
  .meta({ id: 'WaitInBrowser', example: { for: 'load' } });

const MatchedFields = z
  .object({
    matched: z.enum(WAIT_FOR),
    value: z.string().nullable(),
    url: z.string(),
    elapsed_ms: z.int(),
    tab_id: z.string(),
  })
  .meta({ id: 'BrowserMatched' });

/** What a call waits for: `for` with `value`, or the field of that name. */
function wantedOf(body: z.infer<typeof WaitBody>): { readonly kind: WaitKind; readonly value: string } {
  const named = (['selector', 'url', 'text', 'function'] as const).filter((name) => body[name] !== undefined);
  const kind = body.for ?? named[0];
  if (kind === undefined || named.length > 1 || (named[0] !== undefined && named[0] !== kind)) {
    throw new SandboxError('invalid', 'one of selector, url, load, networkidle, text, function has to be waited for');
  }
  const value = kind === 'load' || kind === 'networkidle' ? '' : oneValue({ [kind]: body[kind], value: body.value });
  if (value === undefined || (value === '' && kind !== 'load' && kind !== 'networkidle')) {
    throw new SandboxError('invalid', `is required: the ${kind} to wait for`, { field: 'value' });
  }
  return { kind, value };
}

const SnapshotBody = z
  .object({
    interactive_only: z.boolean().default(false).meta({ description: 'Only what can be acted on.' }),
    selector: z.string().min(1).max(16_384).optional().meta({ description: 'Only this element.' }),
    depth: z.int().min(0).max(1000).default(1000).meta({ description: 'Levels; deeper ones are left out.' }),
    max_length: z.int().min(1000).max(1_000_000).default(50_000).meta({ description: 'Characters of the text.' }),
    tab_id: TabId,
  })
  .meta({ id: 'SnapshotBrowser', example: { interactive_only: true } });

const SnapshotFields = z
  .object({
    snapshot: z.string().meta({ description: 'The accessibility tree, a node a line, with references as [ref=e12].' }),
    url: z.string(),
    title: z.string(),
    refs: z.int().meta({ description: 'References in the text.' }),
    truncated: z.boolean(),
    tab_id: z.string(),
  })
  .meta({ id: 'BrowserSnapshot' });

const CUT_HINT = 'use selector, which writes lists in full, interactive_only, or a larger depth or max_length';

export function pageRoutes(app: App, service: BrowserService, surface: Surface): void {
  const errors = browserErrors(surface);

  app.post('/browser/navigate', {
    schema: {
      tags,
      operationId: 'navigate',
      summary: 'Open an address, or go through the history',
      body: NavigateBody,
      response: { 200: envelopeOf(ArrivalFields), ...errors },
    },
    handler: async ({ body }) => {
      const to = destinationOf(body);
      const tab = await service.tabToOpen(body.tab_id, body.timeout * 1000);
      const terms = { waitUntil: body.wait_until, timeoutMs: body.timeout * 1000 };
      const { effects, ...outcome } = await withEffects(tab, () => navigate(tab, to, terms));
      const besides = await effectFields(service, effects);
      return answerOf(outcome, (arrival) => arrivalFields(arrival, besides));
    },
  });

  app.post('/browser/wait', {
    schema: {
      tags,
      operationId: 'waitForPage',
      summary: 'Wait until the page is as it should be',
      body: WaitBody,
      response: { 200: envelopeOf(MatchedFields), ...errors },
    },
    handler: async ({ body }) => {
      const wanted = wantedOf(body);
      const tab = await service.tab(body.tab_id, body.timeout * 1000);
      const { kind, tabId, elapsedMs, ...rest } = await waitInPage(tab, { ...wanted, timeoutMs: body.timeout * 1000 });
      return ok({ matched: kind, ...rest, elapsed_ms: elapsedMs, tab_id: tabId }, `${kind} matched`);
    },
  });

  app.post('/browser/evaluate', {
    schema: {
      tags,
      operationId: 'evaluate',
      summary: 'Evaluate JavaScript in the page',
      body: EvaluateBody,
      response: { 200: envelopeOf(EvaluatedFields), ...errors },
    },
    handler: async ({ body: { expression, await_promise, timeout, tab_id } }) => {
      requireExpression(expression);
      const tab = await service.tab(tab_id, timeout * 1000);
      const outcome = await evaluate(tab, { expression, awaitPromise: await_promise, timeoutMs: timeout * 1000 });
      return answerOf(outcome, ({ tabId, result, type }) => ({ result, type, tab_id: tabId }));
    },
  });

  app.post('/browser/snapshot', {
    schema: {
      tags,
      operationId: 'takeSnapshot',
      summary: 'Read the page as text with references',
      body: SnapshotBody,
      response: { 200: envelopeOf(SnapshotFields), ...errors },
    },
    handler: async ({ body: { interactive_only, selector, depth, max_length, tab_id } }) => {
      const tab = await service.tabToAct(tab_id);
      const terms = { interactiveOnly: interactive_only, maxLength: max_length, depth, selector };
      const { tabId, text, isCut, ...rest } = await service.suite.snapshot(tab, terms);
      const data = { snapshot: text, ...rest, truncated: isCut, tab_id: tabId };
      return { ...ok(data, `${rest.refs} references`), hint: isCut ? CUT_HINT : null };
    },
  });
}
