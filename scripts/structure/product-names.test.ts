import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../api/src/version.ts';
import { imageName, PRODUCT, type Product, type Variant } from '../../program/src/product.ts';
import { documentedImage } from '../images/image-names.ts';
import { ROOT } from '../root.ts';
import { trackedFiles } from './tracked-files.ts';

/** Documents whose commands start an image that is there already: from the registry, if there is one. */
const STARTS = /^(?:README\.md|compose\.yaml|docs\/(?:getting-started|mcp|recipes\/[\w-]+)\.md)$/;
/** What has names of the past, or is written by npm. */
const LEFT_OUT =
  /^(?:CHANGELOG\.md|package-lock\.json|program\/product\.json|docs\/adr\/.*)$|\.(?:png|gz|jsonl)$|\.test\.ts$/;
const WORKSPACES = ['api', 'browser-mcp', 'client', 'computer-use', 'daemon', 'gateway', 'program'];

/** What files that cannot import the names must have, by their paths. */
function textsOf(product: Product): Readonly<Record<string, readonly string[]>> {
  const { name, scope, title } = product;
  const image = (variant: Variant): string => imageName(variant, product);
  const [daemon, desktop] = [image('daemon'), image('desktop')];
  const full = `the full ${daemon}`;
  const kubernetes = {
    [`  - name: ${daemon}`]: [
      'agent-sandbox',
      'overlays/any-uid',
      'overlays/baseline',
      'overlays/restricted',
      'seccomp',
    ],
  };
  return {
    ...Object.fromEntries(
      Object.entries(kubernetes).flatMap(([text, folders]) =>
        folders.map((folder) => [`deploy/kubernetes/${folder}/kustomization.yaml`, [text, `newName: ${daemon}`]]),
      ),
    ),
    ...Object.fromEntries(
      ['agent-sandbox/template', 'base/sandbox', 'seccomp/installer'].map((file) => [
        `deploy/kubernetes/${file}.yaml`,
        [`image: ${daemon}\n`],
      ]),
    ),
    ...Object.fromEntries(
      ['computer-use', 'deepagents', 'inspect'].map((part) => [
        `integrations/${part}/pyproject.toml`,
        [`name = "${name}-service-${part}"`],
      ]),
    ),
    'README.md': [
      `# ${title}\n`,
      `\`${scope}/client\``,
      `from '${scope}/client'`,
      documentedImage('daemon', product),
      `ADD ${name}-*.tar.gz`,
    ],
    'clients/typescript/README.md': [`${scope}/client`],
    'clients/typescript/package.json': [`"name": "${scope}/client"`, `"${name}": "./dist/${name}.cjs"`],
    'clients/typescript/src/cli/help.ts': [`${scope}/client`],
    'compose.yaml': [
      `image: ${documentedImage('daemon', product)}\n`,
      `image: ${documentedImage('desktop', product)}\n`,
    ],
    'docs/architecture.md': [`${scope}/client`],
    'docs/cli.md': [`${scope}/client`],
    'docs/clients.md': [`${scope}/client`],
    'docs/code.md': [image('data')],
    'docs/contract.md': [`Images \`${daemon}\` and \`${desktop}\``],
    'docs/getting-started.md': [
      documentedImage('daemon', product),
      documentedImage('core', product),
      `${scope}/client`,
    ],
    'docs/mcp.md': [documentedImage('daemon', product)],
    'docs/monitoring/dashboard.json': [`"title": "${title}"`],
    'docs/operations.md': [daemon, desktop, image('data')],
    'docs/recipes/behind-tls.md': [documentedImage('daemon', product)],
    'docs/recipes/computer-use.md': [documentedImage('desktop', product)],
    'docs/recipes/e2b.md': [documentedImage('daemon', product)],
    'docs/recipes/own-image.md': [documentedImage('daemon', product), `${name}-${VERSION}-linux`],
    'docs/recipes/swe-rex.md': [documentedImage('daemon', product)],
    'docs/recipes/warm-pool.md': [documentedImage('daemon', product)],
    'docs/testing.md': [desktop, `${scope}/client`],
    'e2e/clients/typescript/drive.mjs': [`${scope}/client`],
    'e2e/requirements/images.ts': [daemon],
    'e2e/typescript-snippet.ts': [`${scope}/client`],
    'gateway/pages/app/overview/snippets.ts': [`from '${scope}/client'`],
    'hooks/lib/locale.sh': [full],
    'hooks/lib/programs.sh': [`${full} or ${desktop}`],
    'images/Dockerfile': [`image.title="${name}-\${VARIANT}"`],
    'images/bin/start-browser': [`${full} or ${desktop}`],
    'integrations/computer-use/README.md': [`${scope}/client`, `\`${name}-service-computer-use\``],
    'integrations/inspect/README.md': [`\`${name}-service-inspect\``],
    'package.json': [`"name": "${name}-service"`],
    'supervisord/start/daemon': [daemon],
  };
}

const read = (file: string): Promise<string> => readFile(join(ROOT, file), 'utf8');

/** What is missing in the files that cannot import the names. */
async function missing(product: Product): Promise<string[]> {
  const faults = await Promise.all(
    Object.entries(textsOf(product)).map(async ([file, texts]) => {
      const source = await read(file);
      return texts.filter((text) => !source.includes(text)).map((text) => `${file}: ${text}`);
    }),
  );
  return faults.flat();
}

/** Images with a tag in documents that start one, which are not named as the product says. */
function wrongImages(file: string, source: string, product: Product = PRODUCT): string[] {
  const variants: readonly Variant[] = ['core', 'daemon', 'data', 'desktop'];
  const right = variants.map((variant) => documentedImage(variant, product));
  const found = [...source.matchAll(/(?<![\w./-])[\w./:-]*-(?:core|daemon|data|desktop):[\w.-]*\w/g)].map(
    ([name]) => name,
  );
  return found.filter((name) => !right.includes(name)).map((name) => `${file}: ${name}`);
}

describe('the names of the product are set in program/product.json alone', () => {
  test('each file that cannot import them has them', async () => {
    expect(await missing(PRODUCT)).toEqual([]);
    for (const folder of WORKSPACES) {
      const file = folder === 'client' ? 'clients/typescript' : folder;
      const { name } = JSON.parse(await read(`${file}/package.json`)) as { name: string };
      expect(name).toBe(`${PRODUCT.scope}/${folder}`);
    }
  });

  test('other names are missed in each of these files', async () => {
    const other = { name: 'other', title: 'Other', scope: '@other', registry: 'registry.example/team' };
    const files = (await missing(other)).map((fault) => fault.split(':', 1)[0]);
    expect([...new Set(files)].toSorted()).toEqual(Object.keys(textsOf(other)).toSorted());
  });

  test('no other file has the names of images and of the client', async () => {
    const names = ['core', 'daemon', 'data', 'desktop'].map((variant) => imageName(variant as Variant));
    const pattern = new RegExp(`\\b(?:${names.join('|')})\\b|${PRODUCT.scope}/client\\b`);
    const files = (await trackedFiles()).filter((file) => !LEFT_OUT.test(file) && !(file in textsOf(PRODUCT)));
    const naming = await Promise.all(files.map(async (file) => (pattern.test(await read(file)) ? [file] : [])));
    expect(naming.flat()).toEqual([]);
  });

  test('documents start images of the registry, and of a build while there is none', async () => {
    const files = (await trackedFiles()).filter((file) => STARTS.test(file));
    expect((await Promise.all(files.map(async (file) => wrongImages(file, await read(file))))).flat()).toEqual([]);
    const way = /```sh\n(npm run images[^\n]*\n)?docker run /.exec(await read('README.md'));
    expect(way?.[1] !== undefined).toBe(PRODUCT.registry === '');
    const set = { ...PRODUCT, registry: 'registry.example/team' };
    expect(documentedImage('desktop', set, '2.1.0')).toBe('registry.example/team/sandbox-desktop:2.1.0');
    expect(wrongImages('a.md', 'docker run sandbox-daemon:local', set)).toEqual(['a.md: sandbox-daemon:local']);
    expect(wrongImages('a.md', 'docker run sandbox-daemon:2.0.0')).toEqual(['a.md: sandbox-daemon:2.0.0']);
  });
});
