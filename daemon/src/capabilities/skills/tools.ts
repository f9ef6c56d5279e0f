import { z } from 'zod';
import { defineTool } from '../../core/tools/tool.ts';
import type { SkillService } from './skill-service.ts';

/** Skills of one list. */
const LISTED = 500;

const loadSkill = defineTool({
  name: 'sandbox_load_skill',
  order: 7,
  title: 'Load a skill',
  description: `Loads the instructions of a skill: a tested way to do a kind of task, with its files. Without a name it
lists the skills. Look at the list before a task of several steps. Paths in a skill are relative to its base path.
Example: {"name": "pdf-forms"}`,
  annotations: { readOnlyHint: true, openWorldHint: false },
  schema: z.object({
    name: z.string().optional(),
  }),
  handler: async (service: SkillService, { name }) => {
    if (name !== undefined && name !== '') {
      const { path, text } = await service.get(name);
      return `Base Path: ${path}\n\n${text}`;
    }
    const { skills, unusable } = await service.all();
    const lines = skills.slice(0, LISTED).map((skill) => `- ${skill.name}: ${skill.description}`);
    const faults = unusable.slice(0, LISTED).map(({ path, reason }) => `- ${path}: ${reason}`);
    return [
      `Skills Count: ${skills.length}`,
      ...(lines.length > 0 ? ['', ...lines] : []),
      ...(faults.length > 0 ? ['', 'Not usable:', ...faults] : []),
    ].join('\n');
  },
});

export const skillTools = [loadSkill];
