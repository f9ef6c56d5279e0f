import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { ROOT } from '../root.ts';
import { trackedFiles } from './tracked-files.ts';

/** Regular expressions of the production code of program, api, daemon, gateway, browser-mcp, computer-use and clients. */
export interface ProductPatterns {
  /** Each literal, `/source/flags`, with its source, its flags and the files that have it. */
  readonly literals: ReadonlyMap<string, PatternLiteral>;
  /** Files with a `RegExp(…)` or `new RegExp(…)`, and how many each has. */
  readonly constructed: ReadonlyMap<string, number>;
}

interface PatternLiteral {
  readonly source: string;
  readonly flags: string;
  readonly files: readonly string[];
}

export async function productPatterns(): Promise<ProductPatterns> {
  const files = (await trackedFiles()).filter(isProduct);
  const literals = new Map<string, PatternLiteral & { files: string[] }>();
  const constructed = new Map<string, number>();
  for (const file of files) {
    patternsIn(file, await readFile(join(ROOT, file), 'utf8'), {
      literal: (source, flags) => {
        const literal = literals.get(`/${source}/${flags}`) ?? { source, flags, files: [] };
        literal.files.push(file);
        literals.set(`/${source}/${flags}`, literal);
      },
      constructed: () => constructed.set(file, (constructed.get(file) ?? 0) + 1),
    });
  }
  return { literals, constructed };
}

function isProduct(file: string): boolean {
  return (
    /^(?:program|api|daemon|gateway|browser-mcp|computer-use|clients\/typescript)\/src\/.*\.ts$/.test(file) &&
    !/\.(?:test|fixture|d)\.ts$/.test(file)
  );
}

interface Found {
  readonly literal: (source: string, flags: string) => void;
  readonly constructed: () => void;
}

export function patternsIn(file: string, text: string, found: Found): void {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const call = ({ callee }: { readonly callee: { readonly type: string; readonly name?: unknown } }): void => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp') found.constructed();
  };
  new Visitor({
    Literal: (node) => {
      if ('regex' in node) found.literal(node.regex.pattern, node.regex.flags);
    },
    NewExpression: call,
    CallExpression: call,
  }).visit(program);
}
