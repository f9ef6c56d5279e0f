import process from 'node:process';
import { buildImages, CORE_IMAGE, IMAGES } from '../../scripts/images/build-images.ts';
import { docker } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';

const NAME = 'sandbox-service.e2e';

/** The label of containers that the tests of this checkout start. */
export const LABEL: Readonly<Record<string, string>> = { [NAME]: ROOT };

/** Run by vitest before the tests of the images: builds the images and removes containers of earlier runs. */
export async function setup(): Promise<void> {
  await buildImages((line) => process.stdout.write(`images: ${line}\n`), [...IMAGES, CORE_IMAGE]);
  await removeContainers();
}

/** Removes containers of aborted tests. */
export async function teardown(): Promise<void> {
  await removeContainers();
}

async function removeContainers(): Promise<void> {
  const left = await docker('ps', '--all', '--quiet', '--filter', `label=${NAME}=${ROOT}`);
  if (left !== '') await docker('rm', '--force', '--volumes', ...left.split('\n'));
}
