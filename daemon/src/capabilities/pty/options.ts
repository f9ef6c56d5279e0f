import { named, type OptionValues, seconds, wholeNumber } from '@sandbox/program/options.ts';
import { z } from 'zod';

const MIB = 1024 ** 2;
const SHELL_BACKENDS = ['native', 'tmux', 'auto'] as const;

export const TerminalOptions = {
  ptyHistoryBytes: named(wholeNumber(65_536, Number.MAX_SAFE_INTEGER).default(10 * MIB), {
    env: 'SVC_PTY_HISTORY_BYTES',
    flag: 'pty-history-bytes',
    description: 'Bytes of output of each terminal kept on disk; the oldest are dropped first.',
  }),
  shellBackend: named(
    z.enum(SHELL_BACKENDS, { error: `expected one of ${SHELL_BACKENDS.join(', ')}` }).default('native'),
    {
      env: 'SVC_SHELL_BACKEND',
      flag: 'shell-backend',
      description:
        'Holder of terminals. native: the process host; tmux: a tmux session each; auto: tmux if it is on PATH.',
    },
  ),
  shellMaxSessions: named(wholeNumber(1, 10_000).default(20), {
    env: 'SVC_SHELL_MAX_SESSIONS',
    flag: 'shell-max-sessions',
    description: 'Terminal sessions that are open at once; the next one gets 429 if none can be evicted.',
  }),
  shellSessionTimeout: named(seconds(1, 31_536_000).default(3600), {
    env: 'SVC_SHELL_SESSION_TIMEOUT',
    flag: 'shell-session-timeout',
    description: 'Seconds after which an idle terminal session without an id from the caller is closed.',
  }),
} as const;

export type TerminalOptions = OptionValues<typeof TerminalOptions>;
