import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { buildImages, DAEMON_IMAGE } from '../../../scripts/images/build-images.ts';
import { capture } from '../../../scripts/images/docker.ts';
import { documentedImage } from '../../../scripts/images/image-names.ts';
import { ROOT } from '../../../scripts/root.ts';
import { debianPackage, debianProgram, mayInstall, type Need, unmet } from '../../../scripts/test-all/need.ts';
import { virtualEnvironment } from '../../clients/virtual-environment.ts';
import { CLUSTER_VARIABLE, type Cluster } from '../cluster/handed.ts';
import { buildAgentSandbox, buildNode, hasGo, loadImages } from './build.ts';
import { startNode, stopNode } from './node.ts';
import { CONTAINERD_SOCKET, CONTROLLER_IMAGE, inNode, KUBECONFIG, PROGRAMS, ROUTER_IMAGE } from './places.ts';
import { NETWORK_PLUGINS } from './settings.ts';

type Say = (line: string) => void;

/** The first of them is what is tried; the others are what its optional parts need. */
const CLIENT = ['k8s-agent-sandbox==1.0.8', 'grpcio==1.83.0', 'protobuf==7.36.1'];

const REASON = 'the node has it';
const NEEDS: readonly Need[] = [
  debianProgram('containerd', REASON, 'containerd'),
  debianProgram('ctr', REASON, 'containerd'),
  debianProgram('nft', REASON, 'nftables'),
  debianProgram('ip', REASON, 'iproute2'),
  {
    name: 'network plugins',
    probe: ['test', '-x', join(NETWORK_PLUGINS, 'ptp')],
    obtain: debianPackage('containernetworking-plugins'),
    packageName: 'containernetworking-plugins',
    reason: 'they connect the pods',
  },
];

export interface RunTerms {
  /** Arguments of vitest. */
  readonly args: readonly string[];
  /** Whether the node stays after the tests. */
  readonly keeps: boolean;
  readonly say: Say;
}

/** Runs the tests in the cluster of KUBECONFIG, else on a node that it builds and starts. @returns an exit code */
export async function runKubernetesTests({ args, keeps, say }: RunTerms): Promise<number> {
  const agentSandbox = given('AGENT_SANDBOX_SOURCE');
  if (agentSandbox === undefined) say('left out: agent-sandbox (AGENT_SANDBOX_SOURCE has no checkout of it)');
  const python = await pythonWithClient(say);
  if (given('KUBECONFIG') !== undefined) {
    const image = given('TEST_KUBERNETES_IMAGE') ?? documentedImage('daemon');
    return await vitest(args, { kubectl: 'kubectl', isOwn: false, image, agentSandbox, sandboxd: undefined, python });
  }
  const missing = await missingForNode();
  if (missing !== undefined) {
    say(`left out: everything (${missing}); KUBECONFIG names a cluster to use instead`);
    return 1;
  }
  await buildNode(say);
  if (agentSandbox !== undefined) await buildAgentSandbox(agentSandbox, say);
  const image = given('TEST_KUBERNETES_IMAGE') ?? DAEMON_IMAGE;
  if (image === DAEMON_IMAGE) await buildImages(say, [{ name: DAEMON_IMAGE, variant: 'daemon' }]);
  try {
    await startNode(say);
    const others = agentSandbox === undefined ? [] : [CONTROLLER_IMAGE, ROUTER_IMAGE];
    await loadImages(CONTAINERD_SOCKET, [image, ...others], say);
    const sandboxd = agentSandbox && join(PROGRAMS, 'sandboxd');
    return await vitest(args, {
      kubectl: join(PROGRAMS, 'kubectl'),
      isOwn: true,
      image,
      agentSandbox,
      sandboxd,
      python,
    });
  } finally {
    if (!keeps) await stopNode();
  }
}

/** The published client of agent-sandbox; installed here, since the node has no way out. */
async function pythonWithClient(say: Say): Promise<string | undefined> {
  try {
    return await virtualEnvironment('kubernetes', [['install', '--quiet', ...CLIENT]]);
  } catch (error) {
    say(`left out: the Python client of agent-sandbox (${error instanceof Error ? error.message : String(error)})`);
    return undefined;
  }
}

/** A variable of the environment; empty counts as unset. */
function given(name: string): string | undefined {
  return process.env[name] || undefined;
}

async function missingForNode(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a node needs Linux and root';
  if (!(await hasGo())) return 'no Go 1.26 or newer on PATH';
  const missing = await unmet(NEEDS, mayInstall());
  if (missing.length > 0) return `not installed: ${missing.map(({ name }) => name).join(', ')}`;
  return (await capture(['docker', 'version'])).ok ? undefined : 'no docker';
}

async function vitest(args: readonly string[], cluster: Cluster): Promise<number> {
  const command = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'kubernetes'];
  const [first = '', ...rest] = cluster.isOwn ? inNode(...command, ...args) : [...command, ...args];
  const child = spawn(first, rest, {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(cluster.isOwn && { KUBECONFIG }),
      [CLUSTER_VARIABLE]: JSON.stringify(cluster),
    },
  });
  const [code] = await once(child, 'exit');
  return Number(code ?? 1);
}
