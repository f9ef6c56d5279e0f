import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { linksTo } from '../../../http/openapi/links.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import type { BrowserService } from '../browser-service.ts';
import { DOWNLOADS_KEPT, type Download } from '../downloads/downloads.ts';
import { browserErrors, type Surface, seconds, tags } from './surface.ts';

const DownloadFields = z
  .object({
    id: z.string(),
    url: z.string(),
    name: z.string(),
    state: z.enum(['in_progress', 'completed', 'canceled']),
    received_bytes: z.number(),
    total_bytes: z.number().nullable(),
    path: z.string().nullable().meta({ description: 'The file in the sandbox; null before its end.' }),
    started_at: z.string(),
  })
  .meta({ id: 'BrowserDownload' });

const WaitBody = z
  .object({
    id: z.string().max(200).optional().meta({ description: 'Absent: the newest, or the next one that begins.' }),
    timeout: seconds(30),
  })
  .meta({ id: 'WaitForBrowserDownload', example: { timeout: 10 } });

const DownloadParams = z.object({
  id: z
    .string()
    .max(200)
    .meta({ examples: ['0b5f2a7c-1d3e-4f60-8a9b-c0d1e2f3a4b5'] }),
});

function downloadFields(download: Download): z.infer<typeof DownloadFields> {
  const { id, url, name, state, receivedBytes, totalBytes, path, startedAt } = download;
  const bytes = { received_bytes: receivedBytes, total_bytes: totalBytes };
  return { id, url, name, state, ...bytes, path, started_at: startedAt.toISOString() };
}

export function downloadRoutes(app: App, service: BrowserService, surface: Surface): void {
  const errors = browserErrors(surface);

  app.get('/browser/downloads', {
    schema: {
      tags,
      operationId: 'listDownloads',
      summary: 'Downloads, oldest first',
      description: `The newest ${DOWNLOADS_KEPT} since the daemon is connected to the browser.`,
      response: { 200: envelopeOf(z.array(DownloadFields)), ...errors },
    },
    handler: async () => {
      await service.use();
      const all = service.downloads.list();
      return ok(all.map(downloadFields), counted(all.length, 'download'));
    },
  });

  app.post('/browser/downloads/wait', {
    links: linksTo({ id: '/data/id' }, ['fetchDownload']),
    schema: {
      tags,
      operationId: 'waitForDownload',
      summary: 'Wait for the end of a download',
      body: WaitBody,
      response: { 200: envelopeOf(DownloadFields), ...errors },
    },
    handler: async ({ body: { id, timeout } }) => {
      await service.use(timeout * 1000);
      const download = await service.downloads.ended(id, timeout * 1000);
      return ok(downloadFields(download), `${download.name} is ${download.state}`);
    },
  });

  app.get('/browser/downloads/:id/file', {
    schema: {
      tags,
      operationId: 'fetchDownload',
      summary: 'Fetch the file of a download',
      description: 'Redirects to GET /v2/fs/download, whose rules for files hold.',
      params: DownloadParams,
      produces: ['application/octet-stream'],
      response: { 200: RawAnswer, 307: z.null(), ...errors },
    },
    handler: async ({ params: { id } }, reply) => {
      await service.use();
      const { name, state, path } = service.downloads.get(id);
      if (path === null) {
        throw new SandboxError('conflict', `${name} is ${state} and has no file`, {
          hint: 'POST downloads/wait waits for its end',
        });
      }
      // Relative, since a proxy may have removed a prefix.
      return reply.redirect(`../../../../v2/fs/download?path=${encodeURIComponent(path)}`, 307);
    },
  });
}
