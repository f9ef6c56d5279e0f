/** The measured process hosts, by their `SVC_PROCESS_HOST` names. */
export const HOSTS = ['keeper', 'portable'] as const;
