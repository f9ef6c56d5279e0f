import { join } from 'node:path';
import { firstNames } from '../../../../core/files/first-names.ts';
import { readSmallFile } from '../../../../core/files/small-file.ts';

/** Largest kernel.json, in bytes, and the most kernels of one directory. */
const SPEC_BYTES = 256 * 1024;
const SPECS = 100;
const NAME = /^[\w.-]+$/;
const NAME_MAX = 100;

function isName(text: string): boolean {
  return text.length <= NAME_MAX && NAME.test(text);
}

/** How a kernel is started (Jupyter: kernel specs). */
export interface KernelSpec {
  readonly name: string;
  readonly displayName: string;
  /** As the spec has it: `python`, `R`. */
  readonly language: string;
  /** `{connection_file}` and `{resource_dir}` are replaced. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly interruptMode: 'signal' | 'message';
}

/** The kernels in these data directories of Jupyter; of two with a name the one of the earlier directory. */
export function kernelSpecsIn(directories: readonly string[]): KernelSpec[] {
  const specs = new Map<string, KernelSpec>();
  for (const directory of directories) {
    for (const name of namesIn(join(directory, 'kernels'))) {
      const spec = isName(name) ? readSpec(join(directory, 'kernels', name), name.toLowerCase()) : undefined;
      if (spec && !specs.has(spec.name)) specs.set(spec.name, spec);
    }
  }
  return [...specs.values()];
}

function namesIn(directory: string): string[] {
  try {
    return firstNames(directory, SPECS).toSorted();
  } catch {
    return [];
  }
}

/** Undefined if it is not a kernel spec. */
function readSpec(directory: string, name: string): KernelSpec | undefined {
  try {
    const spec: unknown = JSON.parse(readSmallFile(join(directory, 'kernel.json'), SPEC_BYTES));
    return specOf(spec as Record<string, unknown>, name, directory);
  } catch {
    return undefined;
  }
}

function specOf(spec: Record<string, unknown>, name: string, directory: string): KernelSpec | undefined {
  const { argv, env, language, display_name, interrupt_mode } = spec;
  if (!isTexts(argv) || argv.length === 0) return undefined;
  return {
    name,
    displayName: typeof display_name === 'string' ? display_name : name,
    language: typeof language === 'string' ? language : name,
    argv: argv.map((argument) => argument.replaceAll('{resource_dir}', directory)),
    env: typeof env === 'object' && env !== null ? textsOf(env) : {},
    interruptMode: interrupt_mode === 'message' ? 'message' : 'signal',
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function textsOf(value: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
