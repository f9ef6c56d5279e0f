import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CLUSTER } from './cluster.ts';

/** A way to a port of a pod. */
export interface Reached extends Disposable {
  /** Host and port. */
  readonly address: string;
  readonly isOpen: boolean;
}

interface ReachTerms {
  readonly namespace: string;
  readonly pod: string;
  readonly address: string | undefined;
  readonly port: number;
}

/** The address of the pod itself on the own node; of another cluster a forwarded port. */
export async function reach({ namespace, pod, address, port }: ReachTerms): Promise<Reached> {
  if (CLUSTER.isOwn) {
    if (!address) throw new Error(`the pod ${pod} has no address`);
    return { address: `${address}:${port}`, isOpen: true, [Symbol.dispose]: () => {} };
  }
  const child = spawn(CLUSTER.kubectl, ['-n', namespace, 'port-forward', `pod/${pod}`, `:${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const [, local] = /^Forwarding from (127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (local === undefined) continue;
    return {
      address: local,
      get isOpen() {
        return child.exitCode === null && child.signalCode === null;
      },
      [Symbol.dispose]: () => void child.kill(),
    };
  }
  throw new Error(`port ${port} of the pod ${pod} cannot be forwarded`);
}
