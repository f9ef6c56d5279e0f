/** How requests of a protocol reach it, if its clients take no base URL with a path. */
export interface ProtocolDoor {
  readonly name: string;
  /** Of its routes on the daemon. */
  readonly prefix: string;
  /** Hosts of the public port that belong to it, in lower case and without a port; unset: its listener alone. */
  readonly host?: RegExp;
  /** Header by which its clients select a port of the sandbox. */
  readonly portHeader?: string;
  /** Ports that stand for services of the protocol; any other one is previewed. */
  readonly ownPorts?: readonly string[];
}

/** E2B's SDKs join `/files` to the root of the sandbox URL. */
export const E2B_DOOR: ProtocolDoor = {
  name: 'e2b',
  prefix: '/compat/e2b',
  host: /^(?:49983|49999)-[a-z0-9][a-z0-9.-]*$|^e2b\.localhost$/,
  portHeader: 'e2b-sandbox-port',
  ownPorts: ['49983', '49999'],
};

/** Clients of SWE-ReX join a port to the host. */
export const SWE_REX_DOOR: ProtocolDoor = { name: 'swe-rex', prefix: '/compat/swe-rex' };

/** Of the routes of agent-sandbox's runtime on the daemon. */
export const SANDBOXD_PREFIX = '/compat/sandboxd';

/** Clients of agent-sandbox's older runtime join a port to the host. */
export const PYTHON_RUNTIME_DOOR: ProtocolDoor = { name: 'sandboxd', prefix: `${SANDBOXD_PREFIX}/python-runtime` };

export const PROTOCOL_DOORS: readonly ProtocolDoor[] = [E2B_DOOR, SWE_REX_DOOR, PYTHON_RUNTIME_DOOR];
