import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { capture, docker, logged } from '../../../scripts/images/docker.ts';
import { CONTROLLER_IMAGE, KEPT, PAUSE_IMAGE, PROGRAMS, ROUTER_IMAGE } from './places.ts';

type Say = (line: string) => void;

const SOURCE = join(import.meta.dirname, '../programs');
const VERSION = 'v1.36.3';
const NAMES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
  'kubectl',
  'kubelet',
] as const;
const AGENT_SANDBOX = {
  'agent-sandbox-controller': './cmd/agent-sandbox-controller',
  'sandbox-router': './sandbox-router/cmd',
  sandboxd: './packages/sandboxd/cmd/sandboxd',
} as const;
/** The account of images of one program. */
const NOBODY = '65532:65532';
const GO_MINIMUM = [1, 26] as const;

/** Whether Go is on PATH, in a version that builds Kubernetes. */
export async function hasGo(): Promise<boolean> {
  const { stdout } = await capture(['go', 'env', 'GOVERSION'], { GOTOOLCHAIN: 'local' });
  const [, major = '0', minor = '0'] = /^go(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > GO_MINIMUM[0] || (Number(major) === GO_MINIMUM[0] && Number(minor) >= GO_MINIMUM[1]);
}

/** Builds the programs of the node. Go keeps what it compiled: only the first build takes minutes. */
export async function buildNode(say: Say): Promise<void> {
  await mkdir(PROGRAMS, { recursive: true });
  const flags = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const versions = flags.map((name) => `-X ${name}.gitVersion=${VERSION}`);
  versions.push(...['Major=1', 'Minor=36'].map((part) => `-X ${flags[0]}.git${part}`));
  await goBuild('kubernetes', { source: SOURCE, from: '.', flags: versions.join(' '), say });
  for (const name of NAMES) {
    await rm(join(PROGRAMS, name), { force: true });
    await symlink('kubernetes', join(PROGRAMS, name));
  }
  const pause = join(PROGRAMS, 'pause');
  await logged(['cc', '-O2', '-static', '-o', pause, join(SOURCE, 'pause.c')], join(KEPT, 'pause.log'));
  await makeImage(PAUSE_IMAGE, pause, '0:0');
}

/** Builds controller, router and sandboxd of agent-sandbox from a checkout, and images of the first two. */
export async function buildAgentSandbox(source: string, say: Say): Promise<void> {
  for (const [name, from] of Object.entries(AGENT_SANDBOX)) await goBuild(name, { source, from, flags: '', say });
  await makeImage(CONTROLLER_IMAGE, join(PROGRAMS, 'agent-sandbox-controller'), NOBODY);
  await makeImage(ROUTER_IMAGE, join(PROGRAMS, 'sandbox-router'), NOBODY);
}

interface GoTerms {
  readonly source: string;
  readonly from: string;
  readonly flags: string;
  readonly say: Say;
}

async function goBuild(name: string, { source, from, flags, say }: GoTerms): Promise<void> {
  const began = performance.now();
  const log = join(KEPT, `${name}.log`);
  await rm(log, { force: true });
  const output = join(PROGRAMS, name);
  await logged(['go', '-C', source, 'build', '-trimpath', '-ldflags', `-s -w ${flags}`, '-o', output, from], log, {
    CGO_ENABLED: '0',
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-mod=mod -buildvcs=false',
  });
  say(`${name}: built in ${Math.round((performance.now() - began) / 1000)} s`);
}

/** An image that has one static program, which it starts. */
async function makeImage(name: string, program: string, user: string): Promise<void> {
  const context = `${program}.image`;
  await rm(context, { recursive: true, force: true });
  await mkdir(context);
  const script =
    'install -m 755 "$1" "$2/program" && mkdir -m 1777 "$2/tmp" && tar -C "$2" -c program tmp | docker import -c "$3" -c "$4" - "$5"';
  const changes = ['ENTRYPOINT ["/program"]', `USER ${user}`];
  const { ok, stderr } = await capture(['sh', '-ec', script, 'sh', program, context, ...changes, name]);
  if (!ok) throw new Error(`the image ${name} could not be made: ${stderr}`);
  await rm(context, { recursive: true });
}

/** Copies images of the engine of this machine into the node. */
export async function loadImages(socket: string, names: readonly string[], say: Say): Promise<void> {
  for (const name of names) {
    if (!existsSync(socket)) throw new Error(`containerd has no socket ${socket}`);
    const there = await capture(['ctr', '-a', socket, '-n', 'k8s.io', 'images', 'ls', '-q']);
    const id = (await docker('image', 'inspect', '--format', '{{.Id}}', name)).slice(7, 19);
    // An image that was built again has another id: its tag alone says nothing.
    const mark = `sandbox.local/loaded:${id}`;
    if (there.stdout.split('\n').includes(mark)) continue;
    const began = performance.now();
    const script = 'docker save "$2" | ctr -a "$1" -n k8s.io images import --snapshotter overlayfs -';
    const { ok, stderr } = await capture(['sh', '-ec', script, 'sh', socket, name]);
    if (!ok) throw new Error(`${name} could not be loaded into the node: ${stderr}`);
    await capture(['ctr', '-a', socket, '-n', 'k8s.io', 'images', 'tag', fullName(name), mark]);
    say(`${name}: loaded in ${Math.round((performance.now() - began) / 1000)} s`);
  }
}

/** The name that containerd has for a name of docker. */
function fullName(name: string): string {
  return name.includes('/') ? name : `docker.io/library/${name}`;
}
