import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { capture } from '../../../scripts/images/docker.ts';
import { loadImages } from './build.ts';
import { makeCertificates } from './certificates.ts';
import {
  CERTIFICATES,
  CONTAINERD_SOCKET,
  inNode,
  KUBECONFIG,
  NAMESPACE,
  NODE_ADDRESS,
  NODE_NAME,
  PAUSE_IMAGE,
  PROGRAMS,
  RUN,
  SERVICE_NETWORK,
  STATE,
} from './places.ts';
import { endProgram, lastLines, runningPrograms, startProgram } from './programs.ts';
import { SETTINGS } from './settings.ts';

const READY_MS = 120_000;
/** Values of the whole machine that the kubelet sets; they get what they had. */
const MACHINE_VALUES = [
  'vm.overcommit_memory',
  'vm.panic_on_oom',
  'kernel.panic',
  'kernel.panic_on_oops',
  'kernel.keys.root_maxkeys',
  'kernel.keys.root_maxbytes',
];
const DEFAULT_PROFILES = '/var/lib/kubelet/seccomp';
/** The order in which they end: what would start pods again first. */
const ENDS = ['kube-proxy', 'kubelet', 'kube-scheduler', 'kube-controller-manager', 'kube-apiserver', 'etcd'];
const ETCD = 'http://127.0.0.1:2379';

/** Starts a cluster of one node, in a network namespace of its own. */
export async function startNode(say: (line: string) => void): Promise<void> {
  const began = performance.now();
  const at = (what: string): void => say(`${what} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await stopNode();
  for (const [name, text] of Object.entries(SETTINGS)) {
    await mkdir(dirname(join(RUN, name)), { recursive: true });
    await writeFile(join(RUN, name), text);
  }
  await mkdir(STATE, { recursive: true });
  await makeCertificates();
  await makeNetwork();
  await startProgram('containerd', ['containerd', '--config', join(RUN, 'containerd.toml')]);
  await startProgram('etcd', etcd());
  await startProgram('kube-apiserver', apiServer());
  await until('kube-apiserver', inNode(kubectl(), '--kubeconfig', KUBECONFIG, 'get', '--raw', '/readyz'));
  at('the API answers');
  await startProgram('kube-controller-manager', controllerManager());
  await startProgram('kube-scheduler', client('kube-scheduler', 'scheduler'));
  await until('containerd', ['test', '-S', CONTAINERD_SOCKET]);
  await loadImages(CONTAINERD_SOCKET, [PAUSE_IMAGE], say);
  const values = await Promise.all(MACHINE_VALUES.map(async (name) => `${name}=${await machineValue(name)}`));
  await shareProfiles();
  await startProgram('kubelet', kubelet());
  await startProgram('kube-proxy', [join(PROGRAMS, 'kube-proxy'), '--config', join(RUN, 'proxy.yaml')]);
  const ready = ['wait', '--for=condition=Ready', `node/${NODE_NAME}`, '--timeout=1s'];
  await until('kubelet', inNode(kubectl(), '--kubeconfig', KUBECONFIG, ...ready));
  for (const value of values) await must(['sysctl', '-qw', value]);
  await until(
    'kube-controller-manager',
    inNode(kubectl(), '--kubeconfig', KUBECONFIG, 'get', 'serviceaccount/default'),
  );
  at('the node is ready');
}

/** Ends what `startNode` started, also in an earlier run, by pid; nothing of it stays but images. */
export async function stopNode(): Promise<void> {
  if (!existsSync(RUN)) return;
  const isUp = (await runningPrograms()).has('kube-apiserver');
  if (isUp) {
    const all = ['delete', 'pods', '--all-namespaces', '--all', '--force', '--grace-period=0', '--wait=false'];
    await capture(['timeout', '20', ...inNode(kubectl(), '--kubeconfig', KUBECONFIG, ...all)]);
    await pollUntil(async () => (await tasks()).length === 0, { everyMs: 200, ms: 20_000 });
  }
  for (const name of ENDS) await endProgram(name);
  for (const task of await tasks()) await ctr('tasks', 'kill', '--signal', 'SIGKILL', '--all', task);
  await endShims();
  await endProgram('containerd');
  for (const point of await mountsBelow([RUN, STATE])) await capture(['umount', '-l', point]);
  await removePodGroups();
  const { stdout } = await capture(['ip', 'netns', 'list']);
  for (const [name] of stdout.matchAll(/^cni-[\w-]+/gm)) await capture(['ip', 'netns', 'del', name]);
  await capture(['ip', 'netns', 'del', NAMESPACE]);
  await rm(join(DEFAULT_PROFILES, 'profiles/sandbox.json'), { force: true });
  await rm(RUN, { recursive: true });
  for (const name of ['etcd', 'kubelet', 'addresses']) await rm(join(STATE, name), { recursive: true, force: true });
}

function etcd(): readonly string[] {
  const urls = ['--listen-client-urls', ETCD, '--advertise-client-urls', ETCD, '--listen-peer-urls'];
  const data = ['--data-dir', join(STATE, 'etcd'), '--unsafe-no-fsync', '--log-level', 'warn'];
  return [join(PROGRAMS, 'etcd'), ...data, ...urls, 'http://127.0.0.1:2380'];
}

function apiServer(): readonly string[] {
  const options = {
    'etcd-servers': ETCD,
    'bind-address': '0.0.0.0',
    'advertise-address': NODE_ADDRESS,
    'secure-port': '6443',
    'tls-cert-file': file('apiserver.crt'),
    'tls-private-key-file': file('apiserver.key'),
    'client-ca-file': file('ca.crt'),
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': file('accounts.pub'),
    'service-account-signing-key-file': file('accounts.key'),
    'authorization-mode': 'Node,RBAC',
    'service-cluster-ip-range': SERVICE_NETWORK,
    'allow-privileged': 'true',
    'kubelet-client-certificate': file('apiserver-kubelet.crt'),
    'kubelet-client-key': file('apiserver-kubelet.key'),
    'kubelet-preferred-address-types': 'InternalIP',
    'endpoint-reconciler-type': 'lease',
  };
  return [join(PROGRAMS, 'kube-apiserver'), ...withOptions(options)];
}

function controllerManager(): readonly string[] {
  const options = {
    'use-service-account-credentials': 'true',
    'service-account-private-key-file': file('accounts.key'),
    'root-ca-file': file('ca.crt'),
    'cluster-signing-cert-file': file('ca.crt'),
    'cluster-signing-key-file': file('ca.key'),
  };
  return [...client('kube-controller-manager', 'controller-manager'), ...withOptions(options)];
}

function client(program: string, identity: string): readonly string[] {
  const configuration = file(`${identity}.conf`);
  const options = {
    kubeconfig: configuration,
    'authentication-kubeconfig': configuration,
    'authorization-kubeconfig': configuration,
    'leader-elect': 'false',
    'bind-address': '127.0.0.1',
  };
  return [join(PROGRAMS, program), ...withOptions(options)];
}

function kubelet(): readonly string[] {
  const options = {
    config: join(RUN, 'kubelet.yaml'),
    kubeconfig: file('kubelet.conf'),
    'root-dir': join(STATE, 'kubelet'),
    'hostname-override': NODE_NAME,
    'node-ip': NODE_ADDRESS,
    'cert-dir': CERTIFICATES,
  };
  return [join(PROGRAMS, 'kubelet'), ...withOptions(options)];
}

function withOptions(options: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(options).map(([name, value]) => `--${name}=${value}`);
}

function file(name: string): string {
  return join(CERTIFICATES, name);
}

function kubectl(): string {
  return join(PROGRAMS, 'kubectl');
}

/** Manifests put seccomp profiles where a kubelet has its directory by default. */
async function shareProfiles(): Promise<void> {
  await mkdir(DEFAULT_PROFILES, { recursive: true });
  await mkdir(join(STATE, 'kubelet'), { recursive: true });
  await symlink(DEFAULT_PROFILES, join(STATE, 'kubelet/seccomp'));
}

async function makeNetwork(): Promise<void> {
  await must(['ip', 'netns', 'add', NAMESPACE]);
  for (const command of [
    ['ip', 'link', 'set', 'lo', 'up'],
    // A network that goes nowhere: the node needs an address, and a route that its proxy can mark.
    ['sh', '-c', 'ip link add node0 type dummy 2>/dev/null || ip link add node0 type bridge'],
    ['ip', 'address', 'add', `${NODE_ADDRESS}/24`, 'dev', 'node0'],
    ['ip', 'link', 'set', 'node0', 'up'],
    ['ip', 'route', 'add', 'default', 'dev', 'node0'],
    ['sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv4.conf.all.route_localnet=1'],
  ])
    await must(inNode(...command));
}

async function until(program: string, command: readonly string[]): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    if ((await capture(command)).ok) return true;
    if ((await runningPrograms()).has(program)) return false;
    throw new Error(`${program} has ended:\n${await lastLines(program)}`);
  };
  if ((await pollUntil(isReady, { everyMs: 200, ms: READY_MS })) === 'settled') return;
  throw new Error(`${program} is not ready after ${READY_MS / 1000} s:\n${await lastLines(program)}`);
}

async function machineValue(name: string): Promise<string> {
  return (await capture(['sysctl', '-n', name])).stdout.trim();
}

async function must(command: readonly string[]): Promise<void> {
  const { ok, stderr } = await capture(command);
  if (!ok) throw new Error(`${command.join(' ')}: ${stderr.trim()}`);
}

async function ctr(...args: readonly string[]): Promise<string> {
  return (await capture(['timeout', '5', 'ctr', '-a', CONTAINERD_SOCKET, '-n', 'k8s.io', ...args])).stdout;
}

async function tasks(): Promise<string[]> {
  return (await ctr('tasks', 'ls', '--quiet')).split('\n').filter((id) => id !== '');
}

/** Shims of this containerd alone, by pid: their command lines name its socket. */
async function endShims(): Promise<void> {
  for (const pid of await readdir('/proc')) {
    const line = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '') : '';
    const [program = '', ...args] = line.split('\0');
    if (/containerd-shim/.test(program) && args.includes(CONTAINERD_SOCKET)) process.kill(Number(pid), 'SIGKILL');
  }
}

async function mountsBelow(directories: readonly string[]): Promise<string[]> {
  const lines = (await readFile('/proc/self/mounts', 'latin1')).split('\n');
  const points = lines.map((line) => line.split(' ')[1] ?? '');
  return points.filter((point) => directories.some((directory) => point.startsWith(`${directory}/`))).reverse();
}

async function removePodGroups(): Promise<void> {
  await capture(['sh', '-c', "find /sys/fs/cgroup -depth -type d -path '*/kubepods*' -exec rmdir {} + 2>/dev/null"]);
}
