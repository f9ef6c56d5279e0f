import { z } from 'zod';
import { ErrorBody, envelopeOf, V2_ERRORS } from '../envelope.ts';
import { queryNumber } from '../fields/query-number.ts';
import { ACCESSIBILITY, ACCESSIBILITY_NODES } from './accessibility.ts';
import { ComputerAction, ComputerBatch } from './action.ts';
import { RECORD } from './record.ts';

/** The routes of the desktop, which the worker serves and the daemon forwards: one description for both. */

const tags = ['computer'];
const errors = { ...V2_ERRORS, 409: ErrorBody, 503: ErrorBody };
const Flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .meta({ type: 'boolean', enum: undefined });
const Bytes = z.unknown().meta({ type: 'string', format: 'binary' });
const Size = z.object({ width: z.int(), height: z.int() });

const ComputerInfo = z
  .object({
    available: z.boolean(),
    display: z.string(),
    xauthority: z.string().nullable(),
    screen_resolution: Size.nullable(),
    capabilities: z.object({
      screenshot: z.boolean(),
      actions: z.boolean(),
      clipboard: z.boolean(),
      recording: z.boolean(),
      accessibility: z.boolean(),
    }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'ComputerInfo' });

const REGION = /^\d{1,5},\d{1,5},\d{1,5},\d{1,5}$/;

const ScreenshotQuery = z.object({
  format: z.enum(['png', 'jpeg', 'jpg', 'webp']).default('png'),
  quality: queryNumber(z.int().min(0).max(100)).optional().meta({ description: 'Of jpeg and webp.' }),
  scale: queryNumber(z.number().min(0.05).max(4)).prefault(1).meta({ description: 'Pixels of the picture per pixel.' }),
  region: z
    .string()
    .regex(REGION, 'expected x,y,width,height')
    .transform((text) => text.split(',').map(Number) as [number, number, number, number])
    .optional()
    .meta({ description: 'x,y,width,height in pixels of the screen.' }),
  cursor: Flag.optional().meta({ description: 'Draws the pointer.' }),
});

export type ScreenshotTerms = z.output<typeof ScreenshotQuery>;

const Performed = { status: z.enum(['success', 'failed']), action_performed: z.string() } as const;
const Pictured = {
  screenshot: z.string().optional().meta({ description: 'PNG in base64.' }),
  screenshot_error: z.string().optional(),
} as const;

const ActionAnswer = envelopeOf(z.object({ ...Performed })).extend({ ...Performed, ...Pictured });

const BatchResult = z
  .object({
    performed: z.int().meta({ description: 'Actions that were carried out.' }),
    failed_index: z.int().nullable(),
    error: z.string().nullable(),
    status: z.enum(['success', 'failed']),
    reason: z.string().nullable().meta({ description: 'Kind of the error.' }),
    ...Pictured,
  })
  .meta({ id: 'ComputerBatchResult' });

const Cursor = z.object({ x: z.int(), y: z.int() }).meta({ id: 'ComputerCursor' });
const Clipboard = z.object({ text: z.string(), truncated: z.boolean() }).meta({ id: 'ComputerClipboard' });

const Windows = z
  .object({
    snapshot_id: z.string(),
    windows: z.array(
      z.object({
        window_id: z.string(),
        title: z.string(),
        process_id: z.int().nullable(),
        bounds: z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }),
        minimized: z.boolean(),
        active: z.boolean(),
      }),
    ),
    truncated: z.boolean(),
  })
  .meta({ id: 'ComputerWindows' });

/** What a route of the desktop takes and answers. */
export const INFO = {
  method: 'GET',
  url: '/computer/info',
  schema: {
    tags,
    operationId: 'getComputerInfo',
    summary: 'What serves the display',
    response: { 200: envelopeOf(ComputerInfo), ...errors },
  },
} as const;

export const SCREENSHOT = {
  method: 'GET',
  url: '/computer/screenshot',
  schema: {
    tags,
    operationId: 'takeDisplayScreenshot',
    summary: 'Picture of the display',
    description:
      'Headers: x-image-width, x-image-height, x-screen-width, x-screen-height; etag, with which If-None-Match is ' +
      'answered 304 while nothing was drawn.',
    querystring: ScreenshotQuery,
    produces: ['image/png', 'image/jpeg', 'image/webp', 'application/octet-stream'],
    response: {
      200: Bytes,
      304: Bytes,
      ...errors,
    },
  },
} as const;

export const ACTION = {
  method: 'POST',
  url: '/computer/actions',
  schema: {
    tags,
    operationId: 'actOnComputer',
    summary: 'Use pointer, keyboard, clipboard, a window or a node',
    description: 'Coordinates are pixels of GET screenshot at scale 1.',
    querystring: z.object({ include_screenshot: Flag.optional() }),
    body: ComputerAction,
    response: { 200: ActionAnswer, ...errors },
  },
} as const;

export const BATCH = {
  method: 'POST',
  url: '/computer/actions/batch',
  schema: {
    tags,
    operationId: 'actInBatch',
    summary: 'Do up to 50 things in one go',
    description: 'No other caller interrupts them.',
    body: ComputerBatch,
    response: { 200: envelopeOf(BatchResult), ...errors },
  },
} as const;

export const CURSOR = {
  method: 'GET',
  url: '/computer/cursor',
  schema: {
    tags,
    operationId: 'getPointer',
    summary: 'Where the pointer is',
    response: { 200: envelopeOf(Cursor), ...errors },
  },
} as const;

export const CLIPBOARD = {
  method: 'GET',
  url: '/computer/clipboard',
  schema: {
    tags,
    operationId: 'getClipboard',
    summary: 'Text of the clipboard, at most 1 MiB',
    response: { 200: envelopeOf(Clipboard), ...errors },
  },
} as const;

export const WINDOWS = {
  method: 'GET',
  url: '/computer/windows',
  schema: {
    tags,
    operationId: 'listWindows',
    summary: 'Windows, the lowest first',
    response: { 200: envelopeOf(Windows), ...errors },
  },
} as const;

export const RESIZE = {
  method: 'POST',
  url: '/computer/resolution',
  schema: {
    tags,
    operationId: 'resizeDisplay',
    summary: 'Resize the display',
    body: z
      .object({ width: z.int().min(320).max(7680), height: z.int().min(200).max(4320) })
      .meta({ example: { width: 1280, height: 800 } }),
    response: { 200: envelopeOf(Size), ...errors },
  },
} as const;

/** Routes that the daemon forwards. Parts of the worker that another file describes add theirs here. */
export const COMPUTER_ROUTES = [
  ...[INFO, SCREENSHOT, ACTION, BATCH, CURSOR, CLIPBOARD, WINDOWS, RESIZE],
  ...[ACCESSIBILITY, ACCESSIBILITY_NODES, RECORD],
] as const;
