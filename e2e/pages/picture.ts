import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../../scripts/root.ts';

/** Directory for screenshots. */
const PICTURES = join(ROOT, 'dist/pages');

/** Writes a screenshot to `dist/pages`, for people to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const LIGHT_SHARE = `(async (source) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let light = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] > 384) light += 1;
  return light / (data.length / 4);
})`;

/** The share of pixels in an area of the page that are lighter than mid-grey. */
export async function lightShare(page: Page, clip: Area): Promise<number> {
  const png = await page.screenshot({ clip });
  // A page of its own, because the policy of the other may forbid data URLs.
  const viewer = await page.context().newPage();
  try {
    return await viewer.evaluate<number>(`${LIGHT_SHARE}('data:image/png;base64,${png.toString('base64')}')`);
  } finally {
    await viewer.close();
  }
}
