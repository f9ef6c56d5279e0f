/** The process hosts of the daemon that are measured, as `SVC_PROCESS_HOST` names them. */
export const HOSTS = ['keeper', 'portable'] as const;
