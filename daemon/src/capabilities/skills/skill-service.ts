import { constants } from 'node:fs';
import { type FileHandle, open, opendir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { requireNoCredential } from '../../core/access/credential-files.ts';
import { errnoName } from '../../core/errno-name.ts';
import { type FrontMatter, frontMatterOf } from './front-matter.ts';

/** Entries of the folder that are looked at, and bytes of one SKILL.md. */
const ENTRIES_MAX = 100_000;
const SKILLS_MAX = 1000;
const FILE_BYTES = 1024 ** 2;
const FILE = 'SKILL.md';

export interface Skill extends FrontMatter {
  readonly path: string;
  readonly text: string;
}

interface Unusable {
  readonly path: string;
  readonly reason: string;
}

export interface Skills {
  /** In the order of their names, which are unique. */
  readonly skills: readonly Skill[];
  readonly unusable: readonly Unusable[];
}

/** The skills of a folder, read again at each call. */
export class SkillService implements AsyncDisposable {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  async all(): Promise<Skills> {
    const folder = await this.#realFolder();
    if (folder === undefined) return { skills: [], unusable: [] };
    const byName = new Map<string, Skill>();
    const unusable: Unusable[] = [];
    for (const path of await directoriesIn(folder)) {
      if (byName.size >= SKILLS_MAX) break;
      try {
        const skill = await readSkill(folder, path);
        if (skill === undefined) continue;
        const other = byName.get(skill.name);
        if (other !== undefined) throw new Error(`the name ${skill.name} is that of ${other.path}`);
        byName.set(skill.name, skill);
      } catch (error) {
        unusable.push({ path, reason: reasonOf(error) });
      }
    }
    const skills = [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { skills, unusable };
  }

  /** @throws SandboxError `not_found` */
  async get(name: string): Promise<Skill> {
    const { skills } = await this.all();
    const skill = skills.find((one) => one.name === name);
    if (skill !== undefined) return skill;
    throw new SandboxError('not_found', `Skill not found: ${name.slice(0, 200)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It holds nothing.
  }

  async #realFolder(): Promise<string | undefined> {
    if (this.#folder === undefined) return undefined;
    try {
      return await realpath(this.#folder);
    } catch (error) {
      throw new SandboxError('unavailable', `SVC_SKILLS_PATH cannot be read: ${reasonOf(error)}`, {
        hint: 'mount the folder of skills, or unset the variable',
        cause: error,
      });
    }
  }
}

/** The directories of the folder and its links, in the order of their names. */
async function directoriesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  let looked = 0;
  for await (const entry of await opendir(folder)) {
    if (entry.isDirectory() || entry.isSymbolicLink()) names.push(entry.name);
    looked += 1;
    if (looked >= ENTRIES_MAX) break;
  }
  return names.toSorted().map((name) => join(folder, name));
}

/** Undefined if the directory has no SKILL.md. @throws Error that says why the skill cannot be used */
async function readSkill(folder: string, path: string): Promise<Skill | undefined> {
  let file: string;
  try {
    file = await realpath(join(path, FILE));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoName(error))) return undefined;
    throw error;
  }
  if (!file.startsWith(`${folder}${sep}`)) throw new Error('it is a link that leads out of the folder');
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    requireNoCredential(handle.fd, 'read', file);
    const text = await textOf(handle);
    return { ...frontMatterOf(text), path, text };
  } finally {
    await handle.close();
  }
}

async function textOf(handle: FileHandle): Promise<string> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error(`${FILE} is not a regular file`);
  if (stats.size > FILE_BYTES) throw new Error(`${FILE} is over ${FILE_BYTES} bytes`);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

function reasonOf(error: unknown): string {
  return errnoName(error) || (error instanceof Error ? error.message : String(error));
}
