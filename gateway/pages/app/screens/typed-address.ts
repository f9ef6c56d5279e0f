/** Schemes of addresses without an authority, which a person may type. */
const OPAQUE = /^(about|blob|chrome|data|file|javascript|mailto|view-source):/i;
/** Hosts that rarely have a certificate: this machine, IP addresses, names without a dot. */
const LOCAL = /^(localhost|([a-z0-9-]+\.)*localhost|[a-z0-9_-]+|\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i;

/** The address of what a person types. Without a scheme it is http for local hosts and ports other than 443. */
export function typedAddress(line: string): string {
  const wanted = line.trim();
  if (OPAQUE.test(wanted) || /^[a-z][a-z0-9+.-]*:\/\//i.test(wanted)) return wanted;
  const [authority = ''] = wanted.split(/[/?#]/, 1);
  const [, host = authority, port] = /^(.*?)(?::(\d{1,5}))?$/.exec(authority) ?? [];
  const isSecure = port === undefined ? !LOCAL.test(host) : port === '443';
  return `${isSecure ? 'https' : 'http'}://${wanted}`;
}
