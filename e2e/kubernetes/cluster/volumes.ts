import { randomBytes } from 'node:crypto';
import { CLUSTER } from './cluster.ts';
import { apply, kubectl } from './kubectl.ts';
import type { Volume } from './sandbox-pod-spec.ts';

export interface HostVolume extends AsyncDisposable {
  /** A mount of it in a pod. */
  at(path: string, subPath?: string): Volume;
}

interface VolumeTerms {
  /** User and group id of its directory; default: root. */
  readonly owner?: number;
  /** Directories in it that only root can enter. */
  readonly holds?: readonly string[];
}

/** A volume and its claim, on a directory of the node, as a cluster without a storage class has them. */
export async function hostVolume(namespace: string, name: string, terms: VolumeTerms = {}): Promise<HostVolume> {
  const { owner = 0, holds = [] } = terms;
  const volume = `${namespace}-${name}-${randomBytes(4).toString('hex')}`;
  const path = `/var/lib/sandbox-kubernetes/volumes/${volume}`;
  const capacity = { storage: '1Gi' };
  const common = { storageClassName: '', accessModes: ['ReadWriteOnce'] };
  await kubectl(
    ['create', '-f', '-'],
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volume },
      spec: {
        ...common,
        capacity,
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path, type: 'DirectoryOrCreate' },
      },
    }),
  );
  await apply(namespace, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { ...common, volumeName: volume, resources: { requests: capacity } },
  });
  await prepare(namespace, name, [
    `chown ${owner}:${owner} /volume`,
    ...holds.map((one) => `install -d -m 700 /volume/${one}`),
  ]);
  return {
    at: (at, subPath) => ({
      name,
      at,
      of: { persistentVolumeClaim: { claimName: name } },
      ...(subPath && { subPath }),
    }),
    async [Symbol.asyncDispose]() {
      await prepare(namespace, name, ['find /volume -mindepth 1 -delete']);
      await kubectl(['-n', namespace, 'delete', 'pvc', name, '--wait=false']);
      await kubectl(['delete', 'pv', volume, '--wait=false']);
    },
  };
}

/** Runs commands as root in a pod that has the volume. */
async function prepare(namespace: string, claim: string, commands: readonly string[]): Promise<void> {
  const name = `prepare-${claim}`;
  await apply(namespace, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      containers: [
        {
          name: 'prepare',
          image: CLUSTER.image,
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-ec', commands.join('\n') || 'true'],
          volumeMounts: [{ name: 'volume', mountPath: '/volume' }],
        },
      ],
      volumes: [{ name: 'volume', persistentVolumeClaim: { claimName: claim } }],
    },
  });
  const done = ['wait', '--for=jsonpath={.status.phase}=Succeeded', `pod/${name}`, '--timeout=120s'];
  await kubectl(['-n', namespace, ...done]);
  await kubectl(['-n', namespace, 'delete', 'pod', name, '--wait=true']);
}
