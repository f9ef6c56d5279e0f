import { type CommandSpec, GLOBAL_OPTIONS, type OptionSpec, VERSION_OPTION } from './command-spec.ts';
import { COMMANDS } from './specs.ts';

export function overview(): string {
  const rows = COMMANDS.map(({ name, summary }) => [name, summary] as const);
  return `usage: sandbox COMMAND [OPTIONS] [ARGUMENTS]\n\n${table(rows)}\n\n${optionRows([...GLOBAL_OPTIONS, VERSION_OPTION])}\n
The address is that of --url, else SANDBOX_URL, else that of login. The key is SANDBOX_API_KEY or that of login.\n`;
}

export function helpOf({ name, usage, summary, details, options = [] }: CommandSpec): string {
  const parts = [
    `usage: ${`sandbox ${name} ${usage}`.trimEnd()}`,
    summary,
    ...(details === undefined ? [] : [details]),
  ];
  return `${parts.join('\n\n')}\n\n${optionRows([...options, ...GLOBAL_OPTIONS])}\n`;
}

function optionRows(options: readonly OptionSpec[]): string {
  return table(
    options.map(({ name, short, value, description }) => {
      const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
      return [value === undefined ? names : `${names} ${value}`, description] as const;
    }),
  );
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n');
}

/** docs/cli.md. */
export function page(): string {
  const sections = COMMANDS.map((spec) => `## ${spec.name}\n\n\`\`\`\n${helpOf(spec)}\`\`\`\n`);
  return `# The command line

Written by \`npm run docs\` from the help of \`sandbox\`, the command line of \`@sandbox/client\` ([clients.md](clients.md)).
It needs Node from version 20 on: where the package is installed, \`npx sandbox run -- make\`, with the address in
\`SANDBOX_URL\` and the key in \`SANDBOX_API_KEY\`, or those that \`login\` has stored. In the images it is on PATH:
\`docker exec CONTAINER sandbox run -- make\` has the address and the key of the container, unless the key is in a file.
Commands of the sandbox have it on PATH too, also under \`npm start\`, and no key.

Ctrl-C, SIGTERM and a reader that leaves, as in \`sandbox run -- yes | head\`, end what a command holds in the sandbox:
that of \`run\`, a watch, a cell, a terminal without an id. Commands of \`run -d\` go on. A command that a signal has
ended has 128 and its number as exit code, one without time 124; 125 is an error of \`sandbox\` itself, 2 wrong use.

\`\`\`
${overview()}\`\`\`

${sections.join('\n')}`;
}
