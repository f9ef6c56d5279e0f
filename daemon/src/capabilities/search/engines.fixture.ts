import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type FilePath, shownPath } from '../../core/files/file-path.ts';
import { findTool } from '../../core/tool-path.ts';
import type { GrepRequest } from './requests.ts';
import { SearchService } from './search-service.ts';

/** Path of ripgrep; undefined where it is not installed. */
export const ripgrep = findTool('rg');

export interface Engine {
  readonly name: 'ripgrep' | 'own';
  readonly isThere: boolean;
  readonly find: () => string | undefined;
}

export const ENGINES: readonly Engine[] = [
  { name: 'ripgrep', isThere: ripgrep !== undefined, find: () => ripgrep },
  { name: 'own', isThere: true, find: () => undefined },
];

export const engineTitle = ({ name }: Engine): string => `the ${name} engine`;

export const NEVER = new AbortController().signal;

/** A search of a directory for a pattern with default options. */
export function grepRequest(path: FilePath, pattern: string): GrepRequest {
  return {
    path,
    pattern,
    recursive: true,
    include: [],
    exclude: [],
    fixedStrings: false,
    caseInsensitive: false,
    multiline: false,
    before: 0,
    after: 0,
    maxResults: 10_000,
    offset: 0,
    type: undefined,
    maxFileSize: undefined,
  };
}

/** A directory with files, and searches in it. */
export class Tree implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'search-'));

  constructor(files: Readonly<Record<string, string | Buffer>>) {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }

  grep(find: () => string | undefined, pattern: string, more: Partial<GrepRequest> = {}) {
    const request = { ...grepRequest(this.root, pattern), ...more };
    return new SearchService(600, find).grep(request, NEVER);
  }

  /** The matches as `file:line:text`. */
  async lines(find: () => string | undefined, pattern: string, more: Partial<GrepRequest> = {}): Promise<string[]> {
    const { matches } = await this.grep(find, pattern, more);
    return matches.map(({ file, lineNumber, line }) => `${this.named(shownPath(file))}:${lineNumber}:${line}`);
  }

  async names(find: () => string | undefined, pattern: string, dialect: 'ripgrep' | 'python' = 'ripgrep') {
    const request = { path: this.root, pattern, dialect, exclude: [], hidden: false, maxResults: 1000 };
    const { names } = await new SearchService(600, find).names(request, NEVER);
    return names.map(({ path }) => this.named(shownPath(path)));
  }

  named(path: string): string {
    return path.slice(this.root.length + 1);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
