import type { App } from '@sandbox/api/http/app-types.ts';
import { RESIZE, SCREENSHOT, type ScreenshotTerms } from '@sandbox/api/http/computer/routes.ts';
import { ok } from '@sandbox/api/http/envelope.ts';
import { resize } from '../screen/resize.ts';
import type { ScreenshotRequest, Screenshots } from '../screen/screenshots.ts';
import type { XLink } from '../x11/x-link.ts';

export function screenRoutes(v2: App, screenshots: Screenshots, link: XLink): void {
  v2.route({
    ...SCREENSHOT,
    handler: async ({ query, headers }, reply) => {
      const request = requestOf(query);
      const asked = headers['if-none-match'];
      const known = asked === undefined ? undefined : await screenshots.etag(request);
      if (known !== undefined && tagsOf(asked).includes(known)) return reply.code(304).header('etag', known).send(null);
      const { bytes, width, height, screen, etag } = await screenshots.take(request);
      return reply
        .headers({
          'content-type': `image/${request.format}`,
          'cache-control': 'no-cache',
          'x-image-width': width,
          'x-image-height': height,
          'x-screen-width': screen.width,
          'x-screen-height': screen.height,
          ...(etag && { etag }),
        })
        .send(bytes);
    },
  });
  v2.route({
    ...RESIZE,
    handler: async ({ body }) => ok(await resize(await link.use(), body), `${body.width}×${body.height}`),
  });
}

function requestOf({ format, cursor = false, ...terms }: ScreenshotTerms): ScreenshotRequest {
  return { ...terms, format: format === 'jpg' ? 'jpeg' : format, cursor };
}

/** The tags of If-None-Match (RFC 9110 §13.1.2), which compares weakly. */
function tagsOf(header = ''): string[] {
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}
