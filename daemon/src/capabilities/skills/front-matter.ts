import { parseDocument } from 'yaml';

/** What a skill says of itself. */
export interface FrontMatter {
  readonly name: string;
  readonly description: string;
}

/** Characters of the front matter, of a name and of a description. */
const BLOCK_MAX = 16 * 1024;
const NAME_MAX = 100;
const DESCRIPTION_MAX = 2000;
const FENCE = '---';

/** The front matter of a SKILL.md: YAML between two lines of three dashes. @throws Error that says what is wrong */
export function frontMatterOf(text: string): FrontMatter {
  const lines = text
    .slice(0, BLOCK_MAX)
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  const end = lines.indexOf(FENCE, 1);
  if (lines[0] !== FENCE || end < 0) throw new Error('SKILL.md does not begin with front matter between lines of ---');
  const document = parseDocument(lines.slice(1, end).join('\n'), { logLevel: 'silent' });
  const [fault] = document.errors;
  if (fault !== undefined) throw new Error(`the front matter is not valid YAML: ${fault.message.split('\n')[0]}`);
  const name = textOf(document.get('name'));
  if (name === '') throw new Error('the front matter has no name');
  if (name.length > NAME_MAX) throw new Error(`the name has more than ${NAME_MAX} characters`);
  return { name, description: textOf(document.get('description')).slice(0, DESCRIPTION_MAX) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).replaceAll(/\s+/g, ' ').trim() : '';
}
