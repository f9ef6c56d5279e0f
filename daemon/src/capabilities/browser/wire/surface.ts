import { type Envelope, ErrorBody } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { Text } from '../../../http/fields.ts';
import type { BrowserService } from '../browser-service.ts';
import type { Effects } from '../effects/effects.ts';
import type { Outcome } from '../page/outcome.ts';

/** What the two surfaces say differently of the same routes. */
export interface Surface {
  /** Schemas of error answers by status. */
  readonly errors: Readonly<Record<number, z.ZodType>>;
  /** Whether paths are those of a shell; otherwise they must be absolute. */
  readonly hasShellPaths: boolean;
}

export const tags = ['browser'];

/** Error answers of a route that calls the browser. */
export function browserErrors({ errors }: Surface): Record<number, z.ZodType> {
  return { ...errors, 409: ErrorBody, 503: ErrorBody };
}

export const TabId = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .meta({ description: 'Id of the tab; by default the one that was shown last.' });

/** A boolean of a query. */
export const Flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .meta({ type: 'boolean', enum: undefined });

/** An element: by a reference of a snapshot, or by a CSS selector, which finds it in open shadow roots and frames too. */
export const TargetFields = {
  ref: z.string().max(64).optional().meta({ description: 'A reference of a snapshot, such as e12.' }),
  selector: Text.min(1).max(16_384).optional().meta({ description: 'A CSS selector; its first match is meant.' }),
  tab_id: TabId,
} as const;

const Dialog = z
  .object({ type: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']), message: z.string() })
  .nullable();

export const DownloadPart = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string().nullable(),
  state: z.string(),
});

/** What an input did besides. */
export const EffectFields = {
  opened: z.array(z.string()).meta({ description: 'Ids of the tabs that it opened.' }),
  download: DownloadPart.nullable().meta({ description: 'The download that it began; path once it is complete.' }),
  dialog: Dialog.meta({ description: 'A dialog that waits for an answer: POST dialog.' }),
  navigated: z.string().nullable().meta({ description: 'Where the tab is now, if it went somewhere.' }),
} as const;

/** Milliseconds that an answer waits for the end of a small download. */
const DOWNLOAD_MS = 500;

export async function effectFields(
  { downloads }: BrowserService,
  { opened, download: id, dialog, navigated }: Effects,
) {
  const known = id === null ? undefined : await downloads.ofPage(id, DOWNLOAD_MS);
  const download = known ? { id: known.id, name: known.name, path: known.path, state: known.state } : null;
  return { opened: [...opened], download, dialog, navigated };
}

/** Seconds that a call may take; at most ten minutes. */
export function seconds(fallback: number) {
  return z.number().min(0).max(600).default(fallback).meta({ description: 'Seconds.' });
}

/** The envelope of what came of a call that has begun to act. */
export function answerOf<T, W>({ success, message, data, hint }: Outcome<T>, wire: (data: T) => W): Envelope<W> {
  return { success, message: oneLine(message), data: wire(data), hint };
}

function oneLine(message: string): string {
  return message.includes('\n')
    ? message
        .split('\n')
        .map((line) => line.trim())
        .join(' ')
    : message;
}
