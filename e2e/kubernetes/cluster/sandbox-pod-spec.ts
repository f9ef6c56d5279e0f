import { CLUSTER } from './cluster.ts';

const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETPCAP', 'SETUID'];

/** Root in the container with what the image needs of it. */
export const AS_ROOT = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'], add: CAPABILITIES },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** What Pod Security "restricted" wants. */
export const RESTRICTED = {
  runAsNonRoot: true,
  runAsUser: 1000,
  runAsGroup: 1000,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

export interface Volume {
  readonly name: string;
  readonly at: string;
  readonly of: object;
  readonly subPath?: string;
}

export interface PodTerms {
  readonly env?: Readonly<Record<string, string>>;
  readonly securityContext?: object;
  readonly podSecurityContext?: object;
  readonly volumes?: readonly Volume[];
  readonly resources?: object;
  /** Whether the container gets variables of the Services of its namespace. */
  readonly hasLinks?: boolean;
  /** Mode of the file with the key. */
  readonly keyMode?: number;
  /** Null: no file with the key is mounted. */
  readonly keyFrom?: string | null;
  readonly gracePeriod?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A pod with the service that differs from `deploy/kubernetes` in what a test is about. */
export function sandboxPod(name: string, terms: PodTerms = {}) {
  const { labels, podSecurityContext } = terms;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name, ...labels } },
    spec: { ...sandboxPodSpec(terms), ...(podSecurityContext && { securityContext: podSecurityContext }) },
  };
}

export function sandboxPodSpec({
  env = {},
  securityContext = AS_ROOT,
  volumes = [],
  resources = { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '1Gi' } },
  hasLinks = false,
  keyMode = 0o400,
  keyFrom = 'sandbox-key',
  gracePeriod = 15,
}: PodTerms) {
  const key: Volume = {
    name: 'key',
    at: '/run/secrets/sandbox',
    of: { secret: { secretName: keyFrom, defaultMode: keyMode } },
  };
  const shm: Volume = { name: 'shm', at: '/dev/shm', of: { emptyDir: { medium: 'Memory', sizeLimit: '512Mi' } } };
  const all = [shm, ...(keyFrom === null ? [] : [key]), ...volumes];
  const variables = {
    BROWSER_START_MODE: 'manual',
    ...(keyFrom !== null && { SVC_API_KEY_FILE: '/run/secrets/sandbox/api-key' }),
    ...env,
  };
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: hasLinks,
    terminationGracePeriodSeconds: gracePeriod,
    containers: [
      {
        name: 'sandbox',
        image: CLUSTER.image,
        imagePullPolicy: 'IfNotPresent',
        ports: [{ name: 'http', containerPort: 8080 }],
        env: [
          ...Object.entries(variables).map(([variable, value]) => ({ name: variable, value })),
          { name: 'SVC_POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
        ],
        securityContext,
        startupProbe: { httpGet: { path: '/health', port: 'http' }, periodSeconds: 1, failureThreshold: 120 },
        readinessProbe: { httpGet: { path: '/health?ready', port: 'http' }, periodSeconds: 1, timeoutSeconds: 5 },
        livenessProbe: {
          httpGet: { path: '/health', port: 'http' },
          periodSeconds: 5,
          timeoutSeconds: 5,
          failureThreshold: 6,
        },
        resources,
        volumeMounts: all.map(({ name, at, subPath }) => ({ name, mountPath: at, ...(subPath && { subPath }) })),
      },
    ],
    volumes: [...new Map(all.map(({ name, of }) => [name, { name, ...of }])).values()],
  };
}

/** An empty directory that lives as long as the pod. */
export function emptyDirectory(name: string, at: string): Volume {
  return { name, at, of: { emptyDir: {} } };
}
