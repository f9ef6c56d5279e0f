import { type Requirement, section } from './requirement.ts';

export const IMAGE_CONDITIONS: readonly Requirement[] = section('docs/operations.md', {
  'images.foreign-trees': 'git works in trees of another owner, for root and for the account',
  'images.agents-environment':
    'IS_SANDBOX and DEBIAN_FRONTEND are set, and programs of Node use the proxy of the environment',
});
