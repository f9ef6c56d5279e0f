import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRODUCT } from '../../program/src/product.ts';
import { capture } from '../images/docker.ts';

interface Component {
  /** NAME@VERSION */
  readonly 'bom-ref': string;
}

interface Bill {
  readonly serialNumber?: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
}

/**
 * CycloneDX, by npm, of what is installed without the packages of the development. Two runs of one commit are equal.
 * @param seconds the time of the bill, since 1970
 * @throws Error with the message of npm, which wants a whole installation
 */
export async function billOfMaterials(root: string, seconds: number): Promise<string> {
  // npm's own --omit=dev leaves out what the product and the tests have in common.
  const { ok, stdout, stderr } = await capture(['env', '-C', root, 'npm', 'sbom', '--sbom-format=cyclonedx']);
  if (!ok) throw new Error(`npm sbom: ${stderr.trim()}`);
  const lock: Lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  // npm writes a random number, the time of the run and the name of the directory.
  const { serialNumber: _, metadata, components, dependencies, ...rest }: Bill = JSON.parse(stdout);
  const component = { ...metadata.component, name: `${PRODUCT.name}-service` };
  const steady = { ...metadata, timestamp: new Date(seconds * 1000).toISOString(), component };
  const tests = testsOnly(lock);
  const kept = components.filter((one) => !tests.has(one['bom-ref']));
  const refs = new Set([metadata.component['bom-ref'], ...kept.map((one) => one['bom-ref'])]);
  const graph = dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((to) => refs.has(to)) }));
  return `${JSON.stringify({ ...rest, metadata: steady, components: kept, dependencies: graph }, undefined, 2)}\n`;
}

/** Packages that only the development needs, as the lock says, with their versions. */
function testsOnly({ packages }: Lock): Set<string> {
  const tests = new Set<string>();
  const product = new Set<string>();
  for (const [path, { version, dev }] of Object.entries(packages)) {
    const name = `${path.split('node_modules/').at(-1)}@${version}`;
    (dev === true ? tests : product).add(name);
  }
  return new Set([...tests].filter((name) => !product.has(name)));
}
