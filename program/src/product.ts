import product from '../product.json' with { type: 'json' };

/** The names of the product: the one place where they are set. A test compares what cannot import them with it. */
export interface Product {
  /** For people. */
  readonly title: string;
  /** Begins the names of images, bundles and archives, and is the name of the command line. */
  readonly name: string;
  /** Of the packages on npm, with its `@`. */
  readonly scope: string;
  /** Host and path of the registry that has the images; empty while they are built on each machine. */
  readonly registry: string;
}

export type Variant = 'core' | 'daemon' | 'data' | 'desktop';

export const PRODUCT: Product = product;

/** The name of an image without registry and tag. */
export function imageName(variant: Variant, { name }: Product = PRODUCT): string {
  return `${name}-${variant}`;
}
