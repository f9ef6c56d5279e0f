import process from 'node:process';
import { debianPackage, type Need } from '../test-all/need.ts';

/** A processor that bundles and images are made for, as Node names it. */
export type Architecture = 'arm64' | 'x64';

interface Names {
  /** The compiler's command on a machine of another kind. */
  readonly compiler: string;
  /** Of Debian: the packages of that compiler. */
  readonly packages: readonly string[];
  /** Of the kernel and of QEMU. */
  readonly machine: string;
  /** Of Docker and of Debian. */
  readonly debian: 'amd64' | 'arm64';
}

export const ARCHITECTURES: Readonly<Record<Architecture, Names>> = {
  x64: {
    compiler: 'x86_64-linux-gnu-gcc',
    packages: ['gcc-x86-64-linux-gnu', 'libc6-dev-amd64-cross'],
    machine: 'x86_64',
    debian: 'amd64',
  },
  arm64: {
    compiler: 'aarch64-linux-gnu-gcc',
    packages: ['gcc-aarch64-linux-gnu', 'libc6-dev-arm64-cross'],
    machine: 'aarch64',
    debian: 'arm64',
  },
};

/** Of this machine. */
export const OWN: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';

/** The other one. */
export const OTHER: Architecture = OWN === 'arm64' ? 'x64' : 'arm64';

/** The compiler's command; undefined on a machine of that kind: the first known one. */
export function compilerFor(architecture: Architecture): string | undefined {
  return architecture === OWN ? undefined : ARCHITECTURES[architecture].compiler;
}

/** A compiler of programs for the other architecture, with the C library to link to. */
export function crossCompiler(architecture: Architecture): Need {
  const { compiler, packages } = ARCHITECTURES[architecture];
  return {
    name: compiler,
    probe: ['sh', '-c', `echo 'int main(void) { return 0; }' | ${compiler} -static-pie -o /dev/null -xc -`],
    obtain: debianPackage(...packages),
    reason: `the keeper of the bundle for ${architecture} is compiled with it`,
  };
}
