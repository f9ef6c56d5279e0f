import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { capture, docker } from '../../../scripts/images/docker.ts';
import { ROOT } from '../../../scripts/root.ts';

const PARTS = [
  ...['package.json', 'package-lock.json', '.npmrc', '.dockerignore', 'tsconfig.json'],
  ...[
    'program',
    'api',
    'daemon',
    'gateway',
    'browser-mcp',
    'computer-use',
    'scripts',
    'images',
    'hooks',
    'supervisord',
  ],
];

/** A copy of the images' inputs to change and build; the images have no name, so that no command runs them. */
export class ImageBuilds implements AsyncDisposable {
  readonly #directory: string;
  readonly #base: string;

  private constructor(directory: string, base: string) {
    this.#directory = directory;
    this.#base = base;
  }

  static async open(base: string): Promise<ImageBuilds> {
    const directory = await mkdtemp(join(tmpdir(), 'image-builds-'));
    const isOurs = (path: string): boolean => !/\/(?:node_modules|dist)$/.test(path);
    for (const part of PARTS) {
      await cp(join(ROOT, part), join(directory, part), { recursive: true, filter: isOurs });
    }
    await writeFile(join(directory, 'one-line.Dockerfile'), `FROM ${base}\nRUN true\n`);
    return new ImageBuilds(directory, base);
  }

  /** Seconds for both images with every layer rebuilt; the download caches of apt and npm are kept. */
  cold(): Promise<number> {
    return this.#seconds(['--no-cache']);
  }

  /** Seconds for both images after a change of this file. */
  async after(file: string, comment: string): Promise<number> {
    await this.#seconds([]);
    await appendFile(join(this.#directory, file), `${comment} ${process.hrtime.bigint()}\n`);
    return this.#seconds([]);
  }

  /** Seconds for an image of one line on the same base. */
  async oneLine(): Promise<number> {
    const begun = performance.now();
    await this.#build(['--no-cache', '--file', join(this.#directory, 'one-line.Dockerfile')]);
    return (performance.now() - begun) / 1000;
  }

  /** Seconds for an image of one layer above that one, which has the sources and their bundles, after a change. */
  async bundlesAfter(packages: string, file: string): Promise<number> {
    const dockerfile = join(this.#directory, 'bundles.Dockerfile');
    await writeFile(dockerfile, `FROM ${packages}\nCOPY . .\nRUN node scripts/build.ts\n`);
    await appendFile(join(this.#directory, file), `// ${process.hrtime.bigint()}\n`);
    const begun = performance.now();
    await this.#build(['--file', dockerfile]);
    return (performance.now() - begun) / 1000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true });
  }

  async #seconds(options: readonly string[]): Promise<number> {
    const begun = performance.now();
    const file = join(this.#directory, 'images/Dockerfile');
    // The images differ in what is below the product, and share all other layers.
    await this.#build([
      ...options,
      '--build-arg',
      `BASE=${this.#base}`,
      '--build-arg',
      'VARIANT=desktop',
      '--file',
      file,
    ]);
    return (performance.now() - begun) / 1000;
  }

  async #build(options: readonly string[]): Promise<void> {
    const { ok, stderr } = await capture(['docker', 'buildx', 'build', '--quiet', ...options, this.#directory]);
    if (!ok) throw new Error(`the image cannot be built: ${stderr.slice(-2000)}`);
  }
}

/** Builds one stage of the image, by its layers in the cache if it has them; the name goes on disposal. */
export async function buildStage(stage: string, base: string): Promise<AsyncDisposable & { readonly name: string }> {
  const name = `sandbox-bench:${stage}`;
  const file = join(ROOT, 'images/Dockerfile');
  const args = ['--build-arg', `BASE=${base}`, '--target', stage, '--tag', name, '--file', file];
  const { ok, stderr } = await capture(['docker', 'buildx', 'build', '--quiet', '--load', ...args, ROOT]);
  if (!ok) throw new Error(`the stage ${stage} cannot be built: ${stderr.slice(-2000)}`);
  return { name, [Symbol.asyncDispose]: async () => void (await docker('rmi', name)) };
}
