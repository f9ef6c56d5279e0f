import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from '../root.ts';
import { capture } from './docker.ts';

const UNKNOWN = 'unknown';

/**
 * Values of the labels of the Open Container Initiative, as build arguments. The time is that of the revision
 * (SOURCE_DATE_EPOCH if it is set), so that equal trees have equal images.
 */
export async function labelArguments(base: string): Promise<Readonly<Record<string, string>>> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const [revision, seconds, source, digest] = await Promise.all([
    git('rev-parse', 'HEAD'),
    secondsOfRevision(),
    git('remote', 'get-url', 'origin'),
    digestOf(base),
  ]);
  return {
    VERSION: version,
    REVISION: revision ?? UNKNOWN,
    CREATED: Number.isFinite(seconds) ? new Date(seconds * 1000).toISOString() : UNKNOWN,
    SOURCE: publicUrl(source) ?? UNKNOWN,
    BASE_DIGEST: digest ?? UNKNOWN,
  };
}

/** Of the revision, since 1970; SOURCE_DATE_EPOCH if it is set; NaN if neither is known. */
export async function secondsOfRevision(): Promise<number> {
  return Number(process.env['SOURCE_DATE_EPOCH'] ?? (await git('log', '-1', '--format=%ct')) ?? Number.NaN);
}

/** A web address of the repository without a user and a password; undefined for a path of this machine. */
export function publicUrl(remote: string | undefined): string | undefined {
  const [, host, path] = /^(?:ssh:\/\/)?git@([\w.-]+)[:/]([\w./-]+)$/.exec(remote ?? '') ?? [];
  const text = host === undefined ? (remote ?? '') : `https://${host}/${path}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return `${url.origin}${url.pathname.replace(/\.git$/, '')}`;
}

/** Of the manifest in a registry; of the image itself if it was made on this machine. */
async function digestOf(image: string): Promise<string | undefined> {
  const format = '{{range .RepoDigests}}{{println .}}{{end}}{{.Id}}';
  const { ok, stdout } = await capture(['docker', 'image', 'inspect', '--format', format, image]);
  return ok ? stdout.split('\n', 1)[0]?.split('@').at(-1) : undefined;
}

async function git(...args: string[]): Promise<string | undefined> {
  const { ok, stdout } = await capture(['git', '-C', ROOT, ...args]);
  return ok ? stdout.trim() : undefined;
}
