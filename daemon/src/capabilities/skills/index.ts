import { defineCapability } from '../../capability.ts';
import { SkillOptions } from './options.ts';
import { SkillService } from './skill-service.ts';
import { skillTools } from './tools.ts';

export const skills = defineCapability({
  name: 'skills',
  options: SkillOptions,
  create: (_core, { skillsPath }) => new SkillService(skillsPath),
  tools: skillTools,
});
