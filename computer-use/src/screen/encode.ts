import type { Sharp, SharpConstructor } from 'sharp';
import type { Pixels } from './pixels.ts';

type PictureFormat = 'png' | 'jpeg' | 'webp';

export interface EncodeTerms {
  readonly format: PictureFormat;
  /** 0–100, of jpeg and webp. */
  readonly quality?: number | undefined;
  readonly scale: number;
}

export interface Picture {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

const QUALITY = 80;
/** A level above adds time and takes little off a picture of a desktop. */
const PNG_LEVEL = 3;

/** Loaded for the first picture: a worker that takes none does not hold it. */
async function encoder(): Promise<SharpConstructor> {
  const { default: sharp } = await import('sharp');
  // A picture is read once: a cache of pictures would only hold memory.
  sharp.cache(false);
  return sharp;
}

export async function encode(pixels: Pixels, { format, quality = QUALITY, scale }: EncodeTerms): Promise<Picture> {
  const width = Math.max(1, Math.round(pixels.width * scale));
  const height = Math.max(1, Math.round(pixels.height * scale));
  const sharp = await encoder();
  const raw = sharp(pixels.rgb, { raw: { width: pixels.width, height: pixels.height, channels: 3 } });
  const sized = scale === 1 ? raw : raw.resize(width, height, { fit: 'fill' });
  return { bytes: await inFormat(sized, format, Math.max(1, quality)).toBuffer(), width, height };
}

function inFormat(picture: Sharp, format: PictureFormat, quality: number): Sharp {
  if (format === 'png') return picture.png({ compressionLevel: PNG_LEVEL });
  if (format === 'webp') return picture.webp({ quality, effort: 0 });
  return picture.jpeg({ quality, optimiseCoding: false });
}
