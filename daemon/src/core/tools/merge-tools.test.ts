import { expect, test } from 'vitest';
import { z } from 'zod';
import { mergeTools } from './merge-tools.ts';
import { defineTool } from './tool.ts';

const context = { gone: new AbortController().signal };

function part(actions: readonly string[] | undefined, order = 1, name = 'notes') {
  return defineTool({
    name,
    order,
    title: 'Notes',
    description: 'Keeps notes.',
    schema: z.object({ action: z.string(), path: z.string(), [actions?.[0] ?? 'text']: z.string() }),
    ...(actions && { actions }),
    handler: async (service: string, args) => `${service}: ${args['action']} ${args['path']}`,
  });
}

test('tools stand in their order', () => {
  const tools = [part(undefined, 2, 'b').bind(''), part(undefined, 1, 'a').bind('')];
  expect(mergeTools(tools).map(({ name }) => name)).toEqual(['a', 'b']);
});

test('parts of one tool are called by action, each on its own service', async () => {
  const [tool, ...more] = mergeTools([part(['read']).bind('files'), part(['find', 'grep']).bind('search')]);
  expect(more).toEqual([]);
  expect(await tool?.call({ action: 'read', path: '/a', read: '' }, context)).toBe('files: read /a');
  expect(await tool?.call({ action: 'grep', path: '/b', find: '' }, context)).toBe('search: grep /b');
  await expect(tool?.call({ action: 'other', path: '/b' }, context)).rejects.toThrow(z.ZodError);
});

test('the arguments of a merged tool are those of all parts; what one part alone knows may be left out', () => {
  const [tool] = mergeTools([part(['read']).bind(''), part(['find']).bind('')]);
  expect(tool?.schema.safeParse({ action: 'find', path: '/a' }).success).toBe(true);
  expect(tool?.schema.safeParse({ action: 'find' }).success).toBe(false);
  expect(tool?.schema.safeParse({ action: 'grep', path: '/a' }).success).toBe(false);
});

test('one name twice without parts, or one action twice, is an error', () => {
  expect(() => mergeTools([part(undefined).bind(''), part(['a']).bind('')])).toThrow('notes is defined twice');
  expect(() => mergeTools([part(['a']).bind(''), part(['a']).bind('')])).toThrow(
    'two parts of notes serve the action a',
  );
});
