import { closest, distance } from 'fastest-levenshtein';

/** Names that people type for a field, and the fields that it can be, the likeliest first. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  cmd: ['command'],
  command: ['cmd'],
  commands: ['command'],
  script: ['command', 'code'],
  source: ['code'],
  working_dir: ['cwd'],
  working_directory: ['cwd'],
  workdir: ['cwd'],
  exec_dir: ['cwd'],
  directory: ['cwd', 'path'],
  dir: ['cwd', 'path'],
  file: ['path'],
  files: ['file', 'path'],
  upload: ['file'],
  attachment: ['file'],
  file_path: ['path'],
  filename: ['path', 'name'],
  filepath: ['path'],
  paths: ['path'],
  src: ['source'],
  from: ['source', 'offset'],
  dst: ['destination'],
  dest: ['destination'],
  to: ['destination'],
  target: ['destination', 'path'],
  text: ['content', 'input', 'value', 'file_text'],
  content: ['file_text', 'file'],
  body: ['content'],
  data: ['content', 'input', 'file'],
  contents: ['content'],
  input: ['stdin', 'text'],
  query: ['pattern'],
  regex: ['pattern'],
  glob: ['pattern'],
  ignore_case: ['case_insensitive'],
  environment: ['env'],
  envs: ['env'],
  environ: ['env'],
  time_out: ['timeout'],
  expires: ['ttl'],
  idle: ['max_idle_seconds'],
  username: ['user'],
  account: ['user'],
  language: ['lang', 'kernel_name'],
  lang: ['language'],
  kernel: ['kernel_name', 'language'],
  background: ['mode'],
  async: ['mode'],
  shell: ['command'],
  link: ['url'],
  uri: ['url'],
  href: ['url'],
  css: ['selector'],
  sig: ['signal'],
  recursive: ['parents'],
  max: ['limit', 'max_results'],
  count: ['limit', 'max_results'],
  limit: ['max_results', 'max_output_length'],
  columns: ['cols'],
  width: ['cols'],
  height: ['rows'],
};

/** Longest name that is compared with others, in characters. */
const MAX_NAME = 64;

/** The known name that `name` most likely stands for. */
export function nearestField(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const plain = name
    .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll(/[-.\s]/g, '_')
    .toLowerCase();
  const trimmed = plain.replace(/^_/, '');
  if (known.includes(trimmed)) return trimmed;
  const meant = Object.hasOwn(MEANT, trimmed) ? MEANT[trimmed]?.find((field) => known.includes(field)) : undefined;
  const longer = known.find((field) => field.startsWith(`${trimmed}_`) || field.endsWith(`_${trimmed}`));
  const shorter = known.find((field) => trimmed.startsWith(`${field}_`) || trimmed.endsWith(`_${field}`));
  return meant ?? longer ?? shorter ?? similarTo(trimmed, known);
}

/** The known name that differs from `name` in the fewest characters, at most a third of them. */
function similarTo(name: string, known: readonly string[]): string | undefined {
  const near = known.length === 0 ? undefined : closest(name, known);
  return near !== undefined && distance(name, near) <= Math.max(1, name.length / 3) ? near : undefined;
}
