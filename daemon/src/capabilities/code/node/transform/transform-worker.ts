import { stripTypeScriptTypes } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { linesOf } from './line-map.ts';
import { rewriteModules } from './rewrite-modules.ts';
import type { TransformAnswer, TransformError, TransformRequest } from './transform-protocol.ts';

/** What erasing types cannot do, such as enums: Node then has to write the code again. */
const NEEDS_TRANSFORM = 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';

parentPort?.on('message', (request: TransformRequest) => parentPort?.postMessage(answer(request)));

function answer({ id, language, code }: TransformRequest): TransformAnswer {
  try {
    const { code: plain, lines } = language === 'typescript' ? withoutTypes(code) : { code, lines: undefined };
    const rewritten = /\b(?:import|export)\b/.test(plain) ? rewriteModules(plain) : plain;
    return { id, code: rewritten, ...(lines && { lines }) };
  } catch (error) {
    return { id, error: errorOf(error) };
  }
}

function withoutTypes(code: string): { readonly code: string; readonly lines?: readonly number[] } {
  try {
    return { code: stripTypeScriptTypes(code, { mode: 'strip' }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== NEEDS_TRANSFORM) throw error;
    const transformed = stripTypeScriptTypes(code, { mode: 'transform', sourceMap: true, sourceUrl: 'cell.ts' });
    return linesOf(transformed);
  }
}

function errorOf(error: unknown): TransformError {
  const { message, loc } = error as Error & { loc?: { line: number; column: number } };
  return {
    name: error instanceof RangeError ? 'RangeError' : 'SyntaxError',
    message: String(message).slice(0, 10_000),
    ...(loc && { line: loc.line, column: loc.column + 1 }),
  };
}
