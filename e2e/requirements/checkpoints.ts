import { type Requirement, section } from './requirement.ts';

export const CHECKPOINTS: readonly Requirement[] = [
  ...section('docs/contract.md §3.1', {
    'checkpoint.exact':
      'a restored directory equals the one of the checkpoint in contents, modes, times, links and holes',
    'checkpoint.diff': 'diff reports added, removed, modified, metadata and renamed, up to now or another checkpoint',
    'checkpoint.text':
      'the diff has the unified text of changed text files within its limits, in linear time, and as a stream all changes',
    'checkpoint.before': 'a restore takes a checkpoint of what is there first; dry_run changes nothing',
    'checkpoint.paths': 'paths restricts a restore; without delete_new what was added stays',
    'checkpoint.file': 'a file of a checkpoint is read by its path, with its holes',
    'checkpoint.export': 'an export is a tar archive with pax headers from which tar makes the directory as it was',
    'checkpoint.import':
      'an archive becomes a checkpoint that is equal to the one it was exported from; a malformed or hostile one is refused with the field and leaves nothing',
    'checkpoint.gone':
      'a call whose caller has left does not begin or ends without a trace; one that waits too long for its turn is 503',
    'checkpoint.scope': 'a directory that the scopes of a key do not cover is 403, and its checkpoints are not listed',
    'checkpoint.secret': 'files with credentials and the runtime directory never enter a checkpoint',
    'checkpoint.account': 'what an account cannot read or change is listed, and stays as it is',
    'checkpoint.kill': 'a kill at any moment loses no checkpoint that was answered, and leaves every file whole',
    'checkpoint.hostile': 'loops, deep trees, devices, FIFOs, leases and files that change harm nothing',
    'checkpoint.ceiling': 'a store that is full answers 429 and keeps what it has',
    'checkpoint.many':
      '10,000 checkpoints of a busy tree take at most 1.2 times their distinct content, and the last is as fast as the first',
    'checkpoint.auto':
      'SVC_CHECKPOINTS=auto takes one before a command, a cell or a change of files, keeps it if something differs, thins by age, and gives way first',
    'checkpoint.off': 'without keeper-tree, and with SVC_CHECKPOINTS=off, the calls answer 501',
  }),
];
