import { type Requirement, section } from './requirement.ts';

export const IMAGE_CONDITIONS: readonly Requirement[] = section('docs/operations.md', {
  'images.foreign-trees': 'git works in trees of another owner, for root and for the account',
  'images.any-user': 'with any user id from 500 on, programs find a name and a home, and the desktop works',
  'images.read-only-user': 'a read-only root works with --user 1000 and the documented tmpfs',
  'images.home-refused': 'a mounted home that the account cannot write ends the boot with one line',
  'images.home-temporary':
    'with SVC_TEMPORARY_HOME a mounted home that the account cannot write is replaced by one in /tmp',
  'images.shm-emptied': 'a volume at /dev/shm, which outlives the container, loses the files of the account at boot',
  'images.loopback-direct':
    'with a proxy, programs reach loopback addresses and the name and address of the container without it',
  'images.conditions': 'users, rights, file systems, memory and proxies of platforms leave the first steps working',
  'images.agents-environment':
    'IS_SANDBOX and DEBIAN_FRONTEND are set, and programs of Node use the proxy of the environment',
});
