import { VERSION } from '../../api/src/version.ts';
import { imageName, PRODUCT, type Product, type Variant } from '../../program/src/product.ts';

/** The name that a build on this machine gives to an image. */
export function localImage(variant: Variant, product: Product = PRODUCT): string {
  return variant === 'core' ? `${imageName('daemon', product)}:core` : `${imageName(variant, product)}:local`;
}

/** The name by which documents start an image: that of the registry; while there is none, that of a build. */
export function documentedImage(variant: Variant, product: Product = PRODUCT, version: string = VERSION): string {
  const { registry } = product;
  return registry === '' ? localImage(variant, product) : `${registry}/${imageName(variant, product)}:${version}`;
}
