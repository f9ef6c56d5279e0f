import { type Requirement, section } from './requirement.ts';

/** What happens to a service whose main loop stops. */
export const STALLS: readonly Requirement[] = [
  ...section('docs/operations.md', {
    'stall.recovers': 'npm start kills a service whose main loop stops for SVC_STALL_SECONDS, and starts it again',
    'stall.starved': 'the time in which a service waits for a processor does not count as a stall',
    'stall.beside-work': 'running commands and terminals lose no byte and no exit code when a service stops or dies',
    'stall.stack': 'before it is killed the log has the stack of its main thread, or that it is in a system call',
    'stall.paused': 'a machine or container that stands still as a whole is not a stall',
    'stall.off': 'SVC_STALL_SECONDS=0 kills no service',
    'stall.debugger': 'a service under a debugger is not killed',
    'images.stall': 'the same holds in the image, where the program watchdog kills',
    'images.stall-private': "beats pass through FIFOs of root's, mode 0600, which no program of the account's opens",
  }),
];
