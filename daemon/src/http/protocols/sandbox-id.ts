import { hostname } from 'node:os';

/** The id of this sandbox where the option for it is unset: the first label of the host name. */
export function sandboxIdOfHost(): string {
  const [label = ''] = hostname().toLowerCase().split('.');
  return label.replaceAll(/[^a-z0-9-]/g, '') || 'sandbox';
}
