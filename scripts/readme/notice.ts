import { PRODUCT } from '../../program/src/product.ts';

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** Licences that a package names in its files alone. */
const STATED: Readonly<Record<string, string>> = { x11: 'MIT' };

const HEAD = `${PRODUCT.title}
Licensed under the Apache License, version 2.0 (LICENSE).

The product contains the packages of npm that are listed here, each with the licence that it states. The images also
contain packages of Debian, whose licences are in /usr/share/doc/PACKAGE/copyright, and Node (MIT).

`;

/** The text of NOTICE for a package-lock.json: what is installed without the packages of the development. */
export function noticeOf(lock: string): string {
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, LockedPackage>> };
  const lines = Object.entries(packages).flatMap(([path, { version, license, dev, link }]) => {
    if (!path.includes('node_modules/') || dev === true || link === true) return [];
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const stated = license ?? STATED[name];
    if (stated === undefined) throw new Error(`${name} states no licence`);
    return [`${name} ${version}: ${stated}`];
  });
  return `${HEAD}${[...new Set(lines)].toSorted().join('\n')}\n`;
}
