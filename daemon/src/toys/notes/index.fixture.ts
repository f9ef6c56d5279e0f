import type { App } from '@sandbox/api/http/app-types.ts';
import { ok } from '@sandbox/api/http/envelope.ts';
import { named, wholeNumber } from '@sandbox/program/options.ts';
import { z } from 'zod';
import { defineCapability } from '../../capability.ts';
import { tool } from '../../core/requirement.ts';
import { defineTool } from '../../core/tools/tool.ts';
import { QUOTATION } from '../quotation.fixture.ts';
import { NoteService } from './note-service.fixture.ts';

const NoteBody = z.object({ text: z.string() });

function notesV2(app: App, service: NoteService): void {
  app.post('/notes', {
    schema: { body: NoteBody },
    handler: async ({ body }) => ok({ note_id: (await service.add(body.text)).id }, 'noted'),
  });
  app.get('/notes', { handler: async () => ok(await service.texts(), 'notes') });
  app.get('/notes/about', { handler: async () => ok(null, 'a toy') });
}

function notesV1(app: App, service: NoteService): void {
  app.post('/note/list', { handler: async () => ok(Object.values(await service.texts()), 'notes') });
}

/** A toy with everything that a capability may declare. */
export const notes = defineCapability({
  name: 'notes',
  options: {
    notesMax: named(wholeNumber(1, 10).default(2), {
      env: 'TOY_NOTES_MAX',
      flag: 'toy-notes-max',
      description: 'Notes at once.',
    }),
  },
  requires: [tool('the shell of notes', { programs: ['no-such-shell'], hint: 'there is none' })],
  publicPaths: ['/v2/notes/about'],
  pages: [{ path: '/toy', opens: ['/v2/notes'] }],
  uses: [QUOTATION],
  create: (core, { notesMax }, ports) => new NoteService(core, notesMax, ports),
  v2: notesV2,
  v1: notesV1,
  routes: (app, service) => {
    app.get('/notes-count', { handler: async () => ok(Object.keys(await service.texts()).length, 'count') });
  },
  tools: [
    defineTool({
      name: 'toy_notes',
      order: 1,
      title: 'Notes',
      description: 'Lists and quotes notes.',
      schema: z.object({ action: z.string() }),
      actions: ['list'],
      handler: async (service: NoteService) => service.texts(),
    }),
  ],
  probe: (service) => service.probe(),
});
