/** Status of a command of `exec`, as the contract names it. */
export const EXEC_STATUSES = ['running', 'completed', 'no_change_timeout', 'hard_timeout', 'terminated'] as const;
export type ExecStatus = (typeof EXEC_STATUSES)[number];
