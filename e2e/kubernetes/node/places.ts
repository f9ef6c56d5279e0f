import { join } from 'node:path';
import { ROOT } from '../../../scripts/root.ts';

/** Programs and images, which are kept between runs. */
export const KEPT = join(ROOT, 'dist/kubernetes');
export const PROGRAMS = join(KEPT, 'bin');
/** State of one run of the node. The name is short: paths of sockets have at most 108 bytes. */
export const RUN = '/run/sandbox-kubernetes';
/** State of one run that is large: images, volumes, records of etcd. */
export const STATE = '/var/lib/sandbox-kubernetes';
export const CERTIFICATES = join(RUN, 'pki');
export const CONTAINERD_SOCKET = join(RUN, 'containerd.sock');
export const KUBECONFIG = join(CERTIFICATES, 'admin.conf');

/** The network namespace of the node. */
export const NAMESPACE = 'sandbox-node';
export const NODE_NAME = 'node1';
export const NODE_ADDRESS = '10.200.0.1';
export const API_ADDRESS = '127.0.0.1:6443';
export const POD_NETWORK = '10.244.0.0/16';
export const SERVICE_NETWORK = '10.96.0.0/16';
/** The first address of the network of services, by which pods reach the API. */
export const API_SERVICE_ADDRESS = '10.96.0.1';
export const DNS_ADDRESS = '10.96.0.10';

export const PAUSE_IMAGE = 'sandbox.local/pause:1';
export const CONTROLLER_IMAGE = 'sandbox.local/agent-sandbox-controller:1';
export const ROUTER_IMAGE = 'sandbox.local/sandbox-router:1';

/** A command in the network namespace of the node alone: `ip netns exec` would hide the control groups. */
export function inNode(...command: readonly string[]): readonly string[] {
  return ['nsenter', `--net=/var/run/netns/${NAMESPACE}`, '--', ...command];
}
