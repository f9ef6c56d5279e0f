import { type CommandSpec, type Context, GLOBAL_OPTIONS, UsageError } from './command-spec.ts';

type Commands = readonly CommandSpec[];

function optionsOf({ options = [] }: CommandSpec): string[] {
  return [...options, ...GLOBAL_OPTIONS].flatMap(({ name, short }) =>
    short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`],
  );
}

function bash(commands: Commands): string {
  const cases = commands.map((spec) => `    ${spec.name}) words="${optionsOf(spec).join(' ')}" ;;`);
  return `_sandbox() {
  local words="${commands.map(({ name }) => name).join(' ')}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sandbox sandbox
`;
}

function zsh(commands: Commands): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
}

function fish(commands: Commands): string {
  const lines = commands.flatMap((spec) => [
    `complete -c sandbox -n __fish_use_subcommand -a ${spec.name} -d '${spec.summary.replaceAll("'", "\\'")}'`,
    ...(spec.options ?? []).map(({ name, short }) => {
      const letter = short === undefined ? '' : ` -s ${short}`;
      return `complete -c sandbox -n '__fish_seen_subcommand_from ${spec.name}' -l ${name}${letter}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}

const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish };

export async function completion({ args: [shell = ''], commands, terminal: { stdout } }: Context): Promise<undefined> {
  const script = SHELLS[shell];
  if (!script) throw new UsageError(`unknown shell: ${shell}`);
  stdout.write(script(commands));
}
