// Translates PROXY_SERVER, PROXY_EXCLUDE, PROXY_INCLUDE and PROXY_MAP to the files `browser-flags` and
// `command-environment`, one flag or variable per line, in the directory of the first argument. With a user and a
// password in PROXY_SERVER there is a file `proxy-forwarder` too. The second argument is the port of the forwarder.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { browserFlags } from './browser-flags.ts';
import { commandEnvironment } from './command-environment.ts';
import { hasCredentials, ProxyError, parseRules } from './proxy-rules.ts';

const [directory = '.', forwarderPort] = process.argv.slice(2);
const { PROXY_SERVER: server, PROXY_EXCLUDE: exclude, PROXY_INCLUDE: include, PROXY_MAP: map } = process.env;
try {
  const rules = parseRules({ server, exclude, include, map });
  write('browser-flags', browserFlags(rules, Number(forwarderPort)));
  if (hasCredentials(rules.server)) write('proxy-forwarder', []);
  write(
    'command-environment',
    Object.entries(commandEnvironment(rules)).map(([name, value]) => `${name}=${value}`),
  );
} catch (error) {
  if (!(error instanceof ProxyError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

function write(name: string, lines: readonly string[]): void {
  writeFileSync(join(directory, name), lines.map((line) => `${line}\n`).join(''), { mode: 0o644 });
}
