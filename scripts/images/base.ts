import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ARCHITECTURES, type Architecture, OWN } from '../build/architecture.ts';
import { ROOT } from '../root.ts';
import { debianProgram, mayInstall, unmet } from '../test-all/need.ts';
import { trixieSources } from './debian-archive.ts';
import { capture, docker, hasImage, logged } from './docker.ts';
import { unpackLocked, unpackNpmPackage } from './npm-package.ts';

/** The default base of the Dockerfile. */
export const BASE = 'node:24-trixie-slim';
/** A name of its own, which cannot be confused with the image that it replaces. */
const STAND_IN = 'sandbox-base-stand-in';
const NPM = {
  name: 'npm@11.21.2',
  integrity: 'sha512-7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==',
};
const BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

const MMDEBSTRAP = debianProgram('mmdebstrap', `a stand-in for ${BASE}, which cannot be pulled, is made with it`);

export interface BaseOptions {
  readonly logFile: string;
  readonly say: (line: string) => void;
  /** Of the image. */
  readonly architecture?: Architecture;
}

/**
 * The base image: the ordinary one if it is present or can be pulled, else a substitute of the same content,
 * built from the Debian archive and the repository's own Node.
 * @throws Error if neither is available
 */
export async function ensureBase({ logFile, say, architecture = OWN }: BaseOptions): Promise<string> {
  const isOwn = architecture === OWN;
  if (isOwn && (await hasImage(BASE))) return BASE;
  const standIn = `${STAND_IN}:trixie-node24-slim${suffixOf(architecture)}`;
  if (await hasImage(standIn)) {
    if (!existsSync(listOf(architecture))) await listPackages(standIn, architecture);
    return standIn;
  }
  // A build for another architecture pulls the base of that one by itself.
  const look = isOwn ? ['pull', '--quiet', BASE] : ['buildx', 'imagetools', 'inspect', BASE];
  if ((await capture(['docker', ...look])).ok) return BASE;
  say(`${BASE} cannot be pulled: making a stand-in from the Debian archive`);
  const [missing] = await unmet([MMDEBSTRAP], mayInstall());
  if (missing) throw new Error(`${missing.name} is missing: ${missing.reason}`);
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-base-'));
  try {
    await makeStandIn(directory, { logFile, architecture, standIn });
  } finally {
    await rm(directory, { recursive: true });
  }
  await listPackages(standIn, architecture);
  return standIn;
}

/** The archive changes, so the list says which versions the stand-in consists of. */
async function listPackages(standIn: string, architecture: Architecture): Promise<void> {
  const file = listOf(architecture);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await docker('run', '--rm', '--entrypoint', 'dpkg-query', standIn, '--show'));
}

/** The file with name and version of each package of the stand-in. */
function listOf(architecture: Architecture): string {
  return join(ROOT, `dist/images-base-packages${suffixOf(architecture)}.txt`);
}

function suffixOf(architecture: Architecture): string {
  return architecture === OWN ? '' : `-${architecture}`;
}

interface StandIn {
  readonly logFile: string;
  readonly architecture: Architecture;
  /** Its name. */
  readonly standIn: string;
}

async function makeStandIn(directory: string, { logFile, architecture, standIn }: StandIn): Promise<void> {
  const debian = join(directory, 'debian/debian.tar');
  await mkdir(dirname(debian));
  const root = `${STAND_IN}:debian${suffixOf(architecture)}`;
  const platform = ['--platform', `linux/${ARCHITECTURES[architecture].debian}`];
  const build = ['docker', 'buildx', 'build', '--load', ...platform, '--tag'];
  await logged(
    [
      'mmdebstrap',
      `--arch=${ARCHITECTURES[architecture].debian}`,
      '--variant=minbase',
      '--include=ca-certificates',
      ...docless(),
      'trixie',
      debian,
      ...(await trixieSources()),
    ],
    logFile,
  );
  // An import takes the architecture of the machine.
  await writeFile(join(directory, 'debian/Dockerfile'), 'FROM scratch\nADD debian.tar /\n');
  await logged([...build, root, join(directory, 'debian')], logFile);
  const context = join(directory, 'context');
  await mkdir(context);
  await Promise.all([
    copyNode(context, architecture),
    unpackNpmPackage(NPM, join(context, 'lib/node_modules/npm')),
    writeFile(join(context, 'host-authorities.crt'), await hostAuthorities()),
    writeFile(join(context, 'host-archive.conf'), await hostArchiveOptions()),
    writeFile(join(context, 'Dockerfile'), dockerfile(root)),
  ]);
  await logged([...build, standIn, context], logFile);
}

function docless(): string[] {
  const options = [
    'path-exclude=/usr/share/man/*',
    'path-exclude=/usr/share/doc/*',
    'path-exclude=/usr/share/locale/*',
  ];
  return options.map((option) => `--dpkgopt=${option}`);
}

async function copyNode(context: string, architecture: Architecture): Promise<void> {
  const name = `node-linux-${architecture}`;
  const isOwn = architecture === OWN;
  const node = isOwn ? join(ROOT, 'node_modules', name) : await unpackLocked(ROOT, name, `${context}-node`);
  await mkdir(join(context, 'bin'));
  await copyFile(join(node, 'bin/node'), join(context, 'bin/node'));
  const { ok, stderr } = await capture(['cp', '-r', join(node, 'include'), join(context, 'include')]);
  if (!ok) throw new Error(`the headers of Node cannot be copied: ${stderr}`);
  await removeForeignHeaders(join(context, 'include/node/openssl/archs'), architecture);
}

/** OpenSSL's headers for other machines, 60 MB, which the ordinary image does not have either. */
async function removeForeignHeaders(archs: string, architecture: Architecture): Promise<void> {
  const own = architecture === 'arm64' ? 'linux-aarch64' : 'linux-x86_64';
  for (const name of await readdir(archs)) {
    if (name !== own) await rm(join(archs, name), { recursive: true });
  }
}

/** Certificates that this machine trusts in addition to Debian's, such as that of a proxy before the archives. */
async function hostAuthorities(): Promise<string> {
  const directory = '/usr/local/share/ca-certificates';
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith('.crt')).map((name) => readFile(join(directory, name), 'utf8'));
  return (await Promise.all(files)).join('\n');
}

/** This machine's limit for the age of its archive, which the image also needs with an outdated mirror. */
async function hostArchiveOptions(): Promise<string> {
  const { stdout } = await capture(['apt-config', 'dump', '--format', '%F "%v";%n', 'Acquire']);
  return stdout
    .split('\n')
    .filter((line) => /^Acquire::Check-/.test(line))
    .join('\n');
}

function dockerfile(root: string): string {
  return `FROM ${root}
COPY . /usr/local/
RUN mv /usr/local/Dockerfile /tmp/ \\
  && mv /usr/local/host-authorities.crt /usr/local/share/ca-certificates/ \\
  && mv /usr/local/host-archive.conf /etc/apt/apt.conf.d/90host-archive \\
  && update-ca-certificates \\
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \\
  && rm -r /tmp/Dockerfile
ENV NODE_EXTRA_CA_CERTS=${BUNDLE}
CMD ["node"]
`;
}
