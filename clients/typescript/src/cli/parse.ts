import { type CommandSpec, GLOBAL_OPTIONS, type OptionSpec, UsageError, VERSION_OPTION } from './command-spec.ts';

export interface Parsed {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | true | undefined>>;
}

/** Splits the words after the name of a command. After `--` all are arguments. @throws UsageError */
export function parse(spec: CommandSpec | undefined, words: readonly string[]): Parsed {
  const known = [...GLOBAL_OPTIONS, ...(spec ? (spec.options ?? []) : [VERSION_OPTION])];
  const args: string[] = [];
  const options: Record<string, string | true> = {};
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') {
      args.push(...words.slice(index + 1));
      break;
    }
    if (isArgument(word)) {
      args.push(word);
      if (!spec?.optionsFirst) continue;
      args.push(...words.slice(index + 1));
      break;
    }
    const [name = '', inline] = split(word);
    const option = find(known, name);
    if (option.value === undefined) options[option.name] = true;
    else options[option.name] = inline ?? words[++index] ?? missing(name, option);
  }
  return { args, options };
}

/** The place of the name of a command, before which options of every command may stand; -1 without one. */
export function commandPlace(words: readonly string[]): number {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (isArgument(word)) return index;
    const option = GLOBAL_OPTIONS.find(({ name }) => word === `--${name}`);
    if (option?.value !== undefined) index += 1;
  }
  return -1;
}

function isArgument(word: string): boolean {
  return !word.startsWith('-') || word === '-';
}

/** `--name=value` in two. */
function split(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word, undefined];
}

function find(known: readonly OptionSpec[], word: string): OptionSpec {
  const option = known.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));
  if (!option) throw new UsageError(`unknown option: ${word}`);
  return option;
}

function missing(word: string, { value }: OptionSpec): never {
  throw new UsageError(`${word} needs a value: ${value}`);
}

/** @throws UsageError unless the number of arguments fits */
export function requireArguments({ name, arguments: [least, most] }: CommandSpec, { length }: readonly string[]): void {
  if (length < least) throw new UsageError(`${name}: an argument is missing`);
  if (length > most) throw new UsageError(`${name}: too many arguments`);
}
