import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { ROOT } from '../root.ts';
import { debianProgram, mayInstall, unmet } from '../test-all/need.ts';
import { trixieSources } from './debian-archive.ts';
import { capture, docker, hasImage, logged } from './docker.ts';
import { unpackNpmPackage } from './npm-package.ts';

/** The default base of the Dockerfile. */
export const BASE = 'node:24-trixie-slim';
/** A name of its own, which cannot be confused with the image that it replaces. */
const STAND_IN = 'sandbox-base-stand-in:trixie-node24-slim';
const NPM = {
  name: 'npm@11.21.2',
  integrity: 'sha512-7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==',
};
const BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

/** Name and version of each package of the stand-in. */
const PACKAGES = join(ROOT, 'dist/images-base-packages.txt');

const MMDEBSTRAP = debianProgram('mmdebstrap', `a stand-in for ${BASE}, which cannot be pulled, is made with it`);

export interface BaseOptions {
  readonly logFile: string;
  readonly say: (line: string) => void;
}

/**
 * The base image: the ordinary one if it is present or can be pulled, else a substitute of the same content,
 * built from the Debian archive and the repository's own Node.
 * @throws Error if neither is available
 */
export async function ensureBase({ logFile, say }: BaseOptions): Promise<string> {
  if (await hasImage(BASE)) return BASE;
  if (await hasImage(STAND_IN)) {
    if (!existsSync(PACKAGES)) await listPackages();
    return STAND_IN;
  }
  if ((await capture(['docker', 'pull', '--quiet', BASE])).ok) return BASE;
  say(`${BASE} cannot be pulled: making a stand-in from the Debian archive`);
  const [missing] = await unmet([MMDEBSTRAP], mayInstall());
  if (missing) throw new Error(`${missing.name} is missing: ${missing.reason}`);
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-base-'));
  try {
    await makeStandIn(directory, logFile);
  } finally {
    await rm(directory, { recursive: true });
  }
  await listPackages();
  return STAND_IN;
}

/** The archive changes, so the list says which versions the stand-in consists of. */
async function listPackages(): Promise<void> {
  await mkdir(dirname(PACKAGES), { recursive: true });
  await writeFile(PACKAGES, await docker('run', '--rm', '--entrypoint', 'dpkg-query', STAND_IN, '--show'));
}

async function makeStandIn(directory: string, logFile: string): Promise<void> {
  const debian = join(directory, 'debian.tar');
  const root = `${STAND_IN.split(':')[0]}:debian`;
  await logged(
    [
      'mmdebstrap',
      '--variant=minbase',
      '--include=ca-certificates',
      ...docless(),
      'trixie',
      debian,
      ...(await trixieSources()),
    ],
    logFile,
  );
  await docker('import', debian, root);
  const context = join(directory, 'context');
  await mkdir(context);
  await Promise.all([
    copyNode(context),
    unpackNpmPackage(NPM, join(context, 'lib/node_modules/npm')),
    writeFile(join(context, 'host-authorities.crt'), await hostAuthorities()),
    writeFile(join(context, 'host-archive.conf'), await hostArchiveOptions()),
    writeFile(join(context, 'Dockerfile'), dockerfile(root)),
  ]);
  await logged(['docker', 'build', '--tag', STAND_IN, context], logFile, { DOCKER_BUILDKIT: '1' });
}

function docless(): string[] {
  const options = [
    'path-exclude=/usr/share/man/*',
    'path-exclude=/usr/share/doc/*',
    'path-exclude=/usr/share/locale/*',
  ];
  return options.map((option) => `--dpkgopt=${option}`);
}

async function copyNode(context: string): Promise<void> {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  const node = join(import.meta.dirname, '../../node_modules', `node-linux-${architecture}`);
  await mkdir(join(context, 'bin'));
  await copyFile(join(node, 'bin/node'), join(context, 'bin/node'));
  const { ok, stderr } = await capture(['cp', '-r', join(node, 'include'), join(context, 'include')]);
  if (!ok) throw new Error(`the headers of Node cannot be copied: ${stderr}`);
  await removeForeignHeaders(join(context, 'include/node/openssl/archs'), architecture);
}

/** OpenSSL's headers for other machines, 60 MB, which the ordinary image does not have either. */
async function removeForeignHeaders(archs: string, architecture: 'arm64' | 'x64'): Promise<void> {
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
