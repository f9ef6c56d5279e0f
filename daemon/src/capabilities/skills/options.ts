import { named, type OptionValues } from '@sandbox/program/options.ts';
import { z } from 'zod';

export const SkillOptions = {
  skillsPath: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_SKILLS_PATH',
    flag: 'skills-path',
    description: 'Directory of skills, each a directory with a SKILL.md, for the MCP tool sandbox_load_skill.',
  }),
} as const;

export type SkillOptions = OptionValues<typeof SkillOptions>;
