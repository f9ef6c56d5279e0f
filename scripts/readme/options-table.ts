import { homedir } from 'node:os';
import process from 'node:process';
import { describeOptions } from '@sandbox/program/options.ts';
import { DaemonOptions } from '../../daemon/src/config.ts';
import { GatewayOptions } from '../../gateway/src/config.ts';

type Rows = ReturnType<typeof describeOptions>;

/** docs/configuration.md with the current descriptions of options in the tables between its `options:` marks. */
export function withOptionTables(page: string): string {
  return [
    ['daemon', describeOptions(DaemonOptions)] as const,
    ['gateway', describeOptions(GatewayOptions)] as const,
  ].reduce((text, [name, rows]) => replaceBetween(text, name, optionsTable(rows)), page);
}

export function optionsTable(rows: Rows): string {
  const lines = rows.map(({ env, aliases, flag, fallback, description }) =>
    [[env, ...aliases].map(code).join(', '), code(flag), fallback === '' ? '' : code(atHome(fallback)), description]
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | '),
  );
  return ['| variable | flag | default | meaning |', '|---|---|---|---|', ...lines.map((line) => `| ${line} |`)].join(
    '\n',
  );
}

/** @throws Error if the marks are missing */
export function replaceBetween(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- options:${name} -->`, `<!-- /options:${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`no place marked by ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}

/** A default below the user's own directories is shown relative to `~`. */
function atHome(value: string): string {
  const state = process.env['XDG_STATE_HOME'];
  const portable = state ? value.replace(state, '~/.local/state') : value;
  return portable.replace(homedir(), '~');
}

function code(text: string): string {
  return `\`${text}\``;
}
