import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

const ROOT = join(import.meta.dirname, '../..');
const MANIFESTS = join(ROOT, 'deploy/kubernetes');
const COMPOSE = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { logLevel: 'error' });
const DOCUMENT = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');

function objectsOf(file: string): Json[] {
  return parseAllDocuments(readFileSync(join(MANIFESTS, file), 'utf8')).map((document) => document.toJS());
}

/** Bytes of a quantity such as 512Mi. */
function bytesOf(quantity: string): number {
  const [, number, unit = ''] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(number) * ({ Mi: 2 ** 20, Gi: 2 ** 30 }[unit] ?? Number.NaN);
}

const pod = objectsOf('base/sandbox.yaml').find(({ kind }) => kind === 'Pod').spec;
const pooled = objectsOf('agent-sandbox/template.yaml')[0].spec.podTemplate.spec;

test.each([
  ['the pod', pod],
  ['the template of the pool', pooled],
])('[kubernetes.pod] %s has what docs/kubernetes.md says', (_name, spec) => {
  expect(spec).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false });
  const [container] = spec.containers;
  expect(container.readinessProbe.httpGet.path).toBe('/health?ready');
  expect(container.livenessProbe.httpGet.path).toBe('/health');
  expect(container.securityContext.allowPrivilegeEscalation).toBe(false);
  expect(container.securityContext.capabilities).toEqual({ drop: ['ALL'], add: COMPOSE.services.sandbox.cap_add });
  const { memory } = container.resources.limits;
  expect(container.resources.requests.memory).toBe(memory);
  const shared = spec.volumes.find(({ name }: Json) => name === 'shm').emptyDir;
  expect(bytesOf(shared.sizeLimit)).toBeLessThanOrEqual(bytesOf(memory) / 4);
  const mounts = container.volumeMounts.map(({ mountPath }: Json) => mountPath);
  expect(mounts).toEqual(expect.arrayContaining(['/home/sandbox', '/var/lib/svc', '/dev/shm']));
});

test('[kubernetes.pod] the template of the pool serves the ports that its container names', () => {
  const [{ env, ports }] = pooled.containers;
  const variableOf = (name: string) => env.find((variable: Json) => variable.name === name)?.value;
  expect(variableOf('SVC_SANDBOXD')).toBe('true');
  expect(ports.map(({ containerPort }: Json) => String(containerPort))).toEqual([
    '8080',
    variableOf('SVC_SANDBOXD_GRPC_PORT'),
    variableOf('SVC_PYTHON_RUNTIME_PORT'),
  ]);
  expect(variableOf('SVC_MEMORY_GUARD')).toBe('90');
});

test('[kubernetes.overlays] the document lists each overlay, and the volume that their patches name is the key', () => {
  const [, table = ''] = DOCUMENT.split(/^## /m);
  const listed = [...table.matchAll(/^\| `([a-z-]+)` \| /gm)].map(([, name]) => name).toSorted();
  expect(listed).toEqual(readdirSync(join(MANIFESTS, 'overlays')).toSorted());
  expect(pod.volumes[3].name).toBe('key');
});

test('[kubernetes.seccomp] the installer copies the profile that the image has', () => {
  const dockerfile = readFileSync(join(ROOT, 'images/Dockerfile'), 'utf8');
  expect(dockerfile).toMatch(/COPY [^\n]*images\/seccomp\.json \/overlay\/opt\/svc\/lib\/\n/);
  const [script] = objectsOf('seccomp/installer.yaml')[1].spec.template.spec.containers[0].command.slice(-1);
  expect(script).toContain('/opt/svc/lib/seccomp.json');
});
