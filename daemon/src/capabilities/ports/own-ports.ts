/** Ports on which the product listens, by their options, with the defaults of these. */
const OPTIONS: Readonly<Record<string, number | undefined>> = {
  GATEWAY_PORT: 8080,
  BROWSER_REMOTE_DEBUGGING_PORT: 9222,
  MCP_SERVER_BROWSER_PORT: 8100,
  PROXY_FORWARD_PORT: 8101,
  SVC_E2B_PORT: undefined,
  SVC_SWEREX_PORT: undefined,
  SVC_PYTHON_RUNTIME_PORT: undefined,
  SVC_SANDBOXD_GRPC_PORT: undefined,
};
/** Options with an address or a URL, which may have a port. */
const ADDRESSES: Readonly<Record<string, string>> = {
  SVC_COMPUTER_USE_URL: 'http://127.0.0.1:18100',
  GATEWAY_VNC: '',
  GATEWAY_CODE_SERVER: '',
  GATEWAY_JUPYTER: '',
};

/** The ports of the product, besides the daemon's, by the options of all its programs. */
export function ownPorts(env: Readonly<Record<string, string | undefined>>): ReadonlySet<number> {
  const ports = Object.entries(OPTIONS).map(([name, fallback]) => Number(env[name] || fallback));
  const addresses = Object.entries(ADDRESSES).map(([name, fallback]) =>
    Number(/:(\d{1,5})\/?$/.exec(env[name] || fallback)?.[1]),
  );
  return new Set([...ports, ...addresses].filter((port) => port > 0));
}
