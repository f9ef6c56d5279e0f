import { readFile, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Message } from './json-rpc.ts';

/** Characters of a snapshot that an answer has; a longer one stays in its file too. */
const SNAPSHOT_MAX = 50_000;
const HEADING = '### Snapshot';
const LINK = /^- \[Snapshot\]\((\/[^)\n]+)\)$/;
/** Names that the tools give to snapshots without a name of the caller's. */
const OWN_NAME = /^page-[\w.-]{1,100}\.yml$/;
const NO_FILES = 'Access to "file:" protocol is blocked';
const CRASHED = 'Target crashed';
const CRASHED_HINT =
  'The page crashed; one that answers nothing while a call waits for it is ended. Open it again, or use another tab.';
const FILES_HINT =
  'Here the browser runs as the account of the services, whose files pages must not read: serve the folder with ' +
  'python3 -m http.server 8000 --bind 127.0.0.1 and open http://127.0.0.1:8000/, or read the file with another tool.';

interface TextPart {
  readonly type: string;
  readonly text?: string;
}

/**
 * Completes the answers of tools for callers outside the container: the snapshot itself instead of the path of a file,
 * and what to do instead of opening a `file:` address.
 */
export class Answers {
  readonly #outputDir: string;

  constructor({ outputDir }: { readonly outputDir: string }) {
    this.#outputDir = outputDir;
  }

  async complete(answer: object): Promise<object> {
    const { result } = answer as Message;
    const { content } = (result ?? {}) as { readonly content?: readonly TextPart[] };
    if (!Array.isArray(content)) return answer;
    const completed = await Promise.all(content.map((part: TextPart) => this.#completePart(part)));
    return { ...answer, result: { ...(result as object), content: completed } };
  }

  async #completePart(part: TextPart): Promise<TextPart> {
    const { text } = part;
    if (text === undefined) return part;
    return { ...part, text: withHint(await this.#withSnapshot(text)) };
  }

  async #withSnapshot(text: string): Promise<string> {
    const lines = text.split('\n');
    const at = lines.findIndex((line, index) => lines[index - 1] === HEADING && LINK.test(line));
    const path = LINK.exec(lines[at] ?? '')?.[1];
    // A page can write such a line too, and must not have another file read.
    if (path === undefined || dirname(path) !== this.#outputDir || !OWN_NAME.test(basename(path))) return text;
    const snapshot = await readFile(path, 'utf8').catch(() => undefined);
    if (snapshot === undefined) return text;
    const isCut = snapshot.length > SNAPSHOT_MAX;
    if (!isCut) await rm(path, { force: true });
    const rest = isCut ? [`- ${snapshot.length - SNAPSHOT_MAX} more characters: ${path}`] : [];
    return [
      ...lines.slice(0, at),
      '```yaml',
      isCut ? beginning(snapshot) : snapshot,
      '```',
      ...rest,
      ...lines.slice(at + 1),
    ].join('\n');
  }
}

/** The hint is for the errors of the tools: the text of a page follows them. */
function withHint(text: string): string {
  const [heading, error = ''] = text.split('\n', 2);
  if (heading !== '### Error') return text;
  if (error.includes(NO_FILES)) return `${text}\n${FILES_HINT}`;
  return error.includes(CRASHED) ? `${text}\n${CRASHED_HINT}` : text;
}

/** Whole lines only. */
function beginning(snapshot: string): string {
  const end = snapshot.lastIndexOf('\n', SNAPSHOT_MAX);
  return snapshot.slice(0, end < 0 ? SNAPSHOT_MAX : end);
}
