import type { App } from '@sandbox/api/http/app-types.ts';
import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { bytesType } from '../../../http/answers/bytes-type.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import type { BrowserService } from '../browser-service.ts';
import { browserErrors, Flag, type Surface, TabId, tags } from './surface.ts';

const ScreenshotQuery = z.object({
  format: z.enum(['png', 'jpeg', 'jpg', 'webp']).default('png'),
  quality: queryNumber(z.int().min(0).max(100)).optional().meta({ description: 'Of jpeg and webp.' }),
  full_page: Flag.optional(),
  selector: z.string().min(1).max(16_384).optional(),
  scale: queryNumber(z.number().min(0.05).max(4)).prefault(1),
  target: z.enum(['auto', 'page', 'display']).default('auto'),
  tab_id: TabId,
});

export function screenshotRoute(app: App, service: BrowserService, surface: Surface): void {
  app.get('/browser/screenshot', {
    schema: {
      tags,
      operationId: 'takeScreenshot',
      summary: 'Take a picture of the page or the display',
      description: 'Its pixels are the coordinates of actions; full_page, selector and scale make others.',
      querystring: ScreenshotQuery,
      produces: ['image/png', 'image/jpeg', 'image/webp', 'application/octet-stream'],
      response: { 200: RawAnswer, ...browserErrors(surface) },
    },
    handler: async ({ query, headers }, reply) => {
      const { quality, scale, selector, target, tab_id: tabId, full_page: fullPage = false } = query;
      const format = query.format === 'jpg' ? 'jpeg' : query.format;
      const terms = { format, quality, scale, selector, fullPage } as const;
      const { picture, source } = await service.screenshot({ target, tabId, ...terms });
      const { width, height } = picture;
      return reply
        .headers({
          'content-type': bytesType(headers.accept, `image/${format}`),
          'cache-control': 'no-store',
          'x-image-width': String(width),
          'x-image-height': String(height),
          'x-screen-width': String(Math.round(width / scale)),
          'x-screen-height': String(Math.round(height / scale)),
          'x-image-source': source,
        })
        .send(picture.bytes);
    },
  });
}
