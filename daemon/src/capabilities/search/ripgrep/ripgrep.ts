import { realpathSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { credentialFiles } from '../../../core/access/credential-files.ts';
import { nameOfErrno } from '../../../core/errno-name.ts';
import { type ByteName, byteNameOf, pathOf, textOf } from '../../../core/files/byte-name.ts';
import { madeUpMounts } from '../../../core/files/directory-entries.ts';
import { badRequest } from '../../../core/files/file-failure.ts';
import { type FilePath, joinPath, shownPath } from '../../../core/files/file-path.ts';
import type { Unread } from '../../../core/files/walk/unread.ts';
import { GlobRules } from '../../../core/glob/glob-rules.ts';
import type { ToolRun } from '../../../core/process/tool-run.ts';
import type { GrepRequest } from '../requests.ts';

/** Where a search runs: ripgrep takes globs relative to its directory. */
export interface Place {
  readonly cwd: string;
  /** The argument for ripgrep: the file or directory to search. */
  readonly target: string;
  readonly isFile: boolean;
}

const COMMON = ['--no-config', '--hidden', '--no-ignore', '--color=never'];

/**
 * Arguments that select files, for the search and for counting.
 * @param leased names that ripgrep must not open, since it would wait
 */
export function selection(request: GrepRequest, place: Place, leased: readonly ByteName[]): string[] {
  if (place.isFile) return [];
  const { type, exclude, maxFileSize, recursive } = request;
  // ripgrep searches a file that matches an include regardless of its type: with a type, `picker` applies the globs.
  const include = type === undefined ? request.include : [];
  return [
    ...include.map((glob) => `--glob=${glob}`),
    ...exclude.map((glob) => `--glob=!${glob}`),
    ...skippedMounts(place.cwd),
    ...skippedCredentials(place.cwd),
    ...skippedNames(leased),
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...(maxFileSize === undefined ? [] : [`--max-filesize=${maxFileSize}`]),
    ...(recursive ? [] : ['--max-depth=1']),
  ];
}

/** Whether a name is selected by the globs that `selection` does not pass to ripgrep. */
export function picker({ type, include }: GrepRequest): (name: ByteName) => boolean {
  if (type === undefined || include.length === 0) return () => true;
  const rules = new GlobRules(include);
  return (name) => {
    const verdict = rules.judge(textOf(name), false);
    return verdict === 'matched' || (verdict === undefined && !rules.hasPositive);
  };
}

/**
 * Whether ripgrep's text output suffices, which alone counts the searched files. JSON has the matching text in a line,
 * and the begin and end of a match over several lines.
 */
export function isTextEnough(request: GrepRequest, { isFile }: Place): boolean {
  const picksItself = request.type === undefined || request.include.length === 0;
  return !isFile && !request.multiline && picksItself;
}

const TEXT = ['--no-heading', '--with-filename', '--null', '--line-number', '--no-context-separator', '--stats'];

export interface Variant {
  readonly sorted: boolean;
  readonly pcre2: boolean;
}

export function grepArguments(
  request: GrepRequest,
  place: Place,
  { sorted, pcre2 }: Variant,
  leased: readonly ByteName[],
): string[] {
  const { pattern, fixedStrings, caseInsensitive, multiline, before, after } = request;
  return [
    ...COMMON,
    ...(isTextEnough(request, place) ? TEXT : ['--json']),
    '--no-mmap',
    '--crlf',
    ...(sorted ? ['--sort=path'] : []),
    ...(pcre2 ? ['--pcre2'] : []),
    ...(fixedStrings ? ['--fixed-strings'] : []),
    caseInsensitive ? '--ignore-case' : '--case-sensitive',
    ...(multiline ? ['--multiline'] : []),
    `--before-context=${before}`,
    `--after-context=${after}`,
    ...selection(request, place, leased),
    `--regexp=${pattern}`,
    '--',
    place.target,
  ];
}

export function filesArguments(globs: readonly string[], place: Place): string[] {
  return [...COMMON, '--files', '--null', ...globs, '--', place.target];
}

/** Calls `onName` with each name of `rg --files` until it answers false. @throws as `refusal` */
export async function eachFile(
  run: ToolRun,
  request: { readonly path: FilePath; readonly pattern: string },
  onName: (name: ByteName) => boolean,
  unread: Unread,
): Promise<void> {
  let rest = '';
  for await (const chunk of run.stdout) {
    const names = (rest + (chunk as Buffer).toString('latin1')).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) if (!onName(name.startsWith('./') ? name.slice(2) : name)) return;
  }
  const { code, stderr } = await run.ended;
  // A name with a newline leaves a part of its complaint; a search that is refused has read nothing.
  if (code === 2 && stderr !== '' && unread.total === 0) throw refusal(stderr, request);
  if (code === 127) throw new SandboxError('unavailable', `ripgrep cannot be run: ${stderr}`);
}

export function pathIn(place: Place, name: ByteName): FilePath {
  return joinPath(place.cwd, pathOf(name));
}

/** Counts ripgrep's complaints about single files and directories, which end with the number of the error. */
export function complaintsInto(unread: Unread): (line: string) => boolean {
  return (line) => {
    const number = /\(os error (\d+)\)\n?$/.exec(line)?.[1];
    if (number === undefined) return false;
    const code = nameOfErrno(Number(number));
    if (code !== 'ENOENT' && code !== 'ENOTDIR') unread.add(code);
    return true;
  };
}

/** Whether the pattern has look-around or back-references, which only PCRE2 supports. */
export function wantsPcre2(stderr: string): boolean {
  return /look-around|backreferences/.test(stderr);
}

/** The error for a search that ripgrep refused, with its message. */
export function refusal(stderr: string, { path, pattern }: { path: FilePath; pattern: string }): Error {
  if (/PCRE2 is not available/.test(stderr)) {
    return badRequest('this ripgrep has no PCRE2, which look-around and back-references need', 'grep', shownPath(path));
  }
  const said = stderr
    .split('\n')
    .map((line) => line.replace(/^(?:rg: |error: )+/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('^') && line !== pattern);
  const [first = 'ripgrep refused the search', ...more] = said;
  const reason = /^regex parse error/.test(first)
    ? `the pattern is not a regular expression: ${more.at(-1) ?? 'it is not accepted'}`
    : first;
  return badRequest(reason, 'grep', shownPath(path), 'patterns are regular expressions as ripgrep has them');
}

/** Excludes mounted virtual file systems of the kernel: reading them may never end. */
function skippedMounts(root: string): string[] {
  return excludedBelow(root, [...madeUpMounts()]);
}

/** Excludes the files with credentials of the service below their own names. */
function skippedCredentials(root: string): string[] {
  const files = credentialFiles();
  if (files.length === 0) return [];
  return excludedBelow(
    realOf(root) ?? root,
    files
      .map(realOf)
      .filter((file) => file !== undefined)
      .map(byteNameOf),
  );
}

function excludedBelow(root: string, paths: readonly ByteName[]): string[] {
  const prefix = byteNameOf(root === '/' ? '/' : `${root}/`);
  const below = paths.filter((path) => path.startsWith(prefix) && path.length > prefix.length);
  return skippedNames(below.map((path) => path.slice(prefix.length)));
}

/** Globs that exclude exactly these names; bytes that are not UTF-8 fit any. */
function skippedNames(names: readonly ByteName[]): string[] {
  return names.map(
    (name) =>
      `--glob=!/${textOf(name)
        .replaceAll(/[\\*?[\]{}!]/g, '\\$&')
        .replaceAll('\ufffd', '*')}`,
  );
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
