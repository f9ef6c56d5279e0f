import { z } from 'zod';
import { defineCapability } from '../../capability.ts';
import { provide } from '../../core/ports/port.ts';
import { defineTool } from '../../core/tools/tool.ts';
import { QUOTATION } from '../quotation.fixture.ts';

class QuoteService implements AsyncDisposable {
  quote(text: string): string {
    return `“${text}”`;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** A toy: puts quotation marks around texts, for itself and for others. */
export const quotes = defineCapability({
  name: 'quotes',
  provides: [provide(QUOTATION, (service: QuoteService) => (text: string) => service.quote(text))],
  create: () => new QuoteService(),
  tools: [
    defineTool({
      name: 'toy_notes',
      order: 1,
      title: 'Notes',
      description: 'Lists and quotes notes.',
      schema: z.object({ action: z.string(), text: z.string() }),
      actions: ['quote'],
      handler: async (service: QuoteService, { text }) => service.quote(text),
    }),
  ],
});
