import { definePort } from './port.ts';

/** TCP ports of the sandbox, as adapters outside their capability use them. */
export interface NetworkPortsPort {
  /** Whether it is the product's own, which no preview reaches. */
  isOwn(port: number): boolean;
}

export const NETWORK_PORTS = definePort<NetworkPortsPort>('network-ports');
