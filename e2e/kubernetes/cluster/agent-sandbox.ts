import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { CONTROLLER_IMAGE, ROUTER_IMAGE } from '../node/places.ts';
import { change } from './deploy.ts';
import { get, kubectl, refusal } from './kubectl.ts';

const SYSTEM = 'agent-sandbox-system';
const READY_MS = 120_000;

/** Installs the controller with its extensions, and the router, from the manifests of their source; once a cluster. */
export async function installAgentSandbox(source: string): Promise<void> {
  await using directory = await tempDir();
  await cp(join(source, 'k8s'), directory.path, { recursive: true });
  await change(join(directory.path, 'controller.yaml'), (text) => text.replace(/ko:\/\/\S+/, CONTROLLER_IMAGE));
  const manifests = await kubectl(['kustomize', directory.path]);
  await kubectl(['apply', '--server-side', '-f', '-'], manifests);
  for (const file of ['serviceaccount', 'rbac', 'service', 'deployment']) {
    const text = await readFile(join(source, 'sandbox-router/deploy', `${file}.yaml`), 'utf8');
    const own = text
      .replaceAll('namespace: default', `namespace: ${SYSTEM}`)
      .replace(/image: .*/, `image: ${ROUTER_IMAGE}`)
      .replace('replicas: 2', 'replicas: 1')
      .replace('cpu: 250m', 'cpu: 50m');
    await kubectl(['apply', '-f', '-'], own);
  }
  for (const name of ['agent-sandbox-controller', 'sandbox-router'])
    await kubectl(['-n', SYSTEM, 'rollout', 'status', `deployment/${name}`, '--timeout=120s']);
  const isKnown = async (): Promise<boolean> => (await refusal(['get', 'sandboxclaims', '-A'])) === undefined;
  await pollUntil(isKnown, { everyMs: 200, ms: READY_MS });
}

interface Pool {
  readonly status?: { readonly readyReplicas?: number };
}

/** Waits until as many sandboxes of a pool wait. @returns seconds */
export async function poolReady(namespace: string, name: string, count: number): Promise<number> {
  const began = performance.now();
  const isReady = async (): Promise<boolean> =>
    ((await get<Pool>(namespace, 'sandboxwarmpool', name)).status?.readyReplicas ?? 0) >= count;
  const end = await pollUntil(isReady, { everyMs: 100, ms: READY_MS });
  if (end === 'timeout') throw new Error(await kubectl(['-n', namespace, 'describe', 'pods']));
  return (performance.now() - began) / 1000;
}

export async function routerAddress(): Promise<string> {
  const service = await get<{ spec: { clusterIP: string } }>(SYSTEM, 'service', 'sandbox-router-svc');
  return `http://${service.spec.clusterIP}:8080`;
}

/** A pool of a template, and the template. */
export function poolOf(name: string, replicas: number, podSpec: object, template: object = {}): object[] {
  const apiVersion = 'extensions.agents.x-k8s.io/v1beta1';
  return [
    {
      apiVersion,
      kind: 'SandboxTemplate',
      metadata: { name },
      spec: {
        envVarsInjectionPolicy: 'Disallowed',
        ...template,
        podTemplate: { metadata: { labels: { app: name } }, spec: podSpec },
      },
    },
    { apiVersion, kind: 'SandboxWarmPool', metadata: { name }, spec: { replicas, sandboxTemplateRef: { name } } },
  ];
}
