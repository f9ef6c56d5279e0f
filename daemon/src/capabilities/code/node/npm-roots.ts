/**
 * Source of a function for any Node from 20 on: the directories of packages that `npm install -g` of the account uses,
 * by its variables, its npmrc and the prefix of the Node (npm-config(1)); Debian's npm installs below /usr/local.
 */
export const NPM_ROOTS = String.raw`() => {
  const { readFileSync } = require('node:fs');
  const { homedir } = require('node:os');
  const { join, resolve } = require('node:path');
  const prefixIn = (file) => {
    try {
      const lines = readFileSync(file, 'utf8').split('\n').map((line) => line.split('='));
      return lines.findLast(([key, value]) => key.trim() === 'prefix' && value)?.[1].trim().replace(/^["']|["']$/g, '');
    } catch { return undefined; }
  };
  const home = homedir();
  const own = resolve(process.execPath, '../..');
  const named = process.env.npm_config_prefix || process.env.NPM_CONFIG_PREFIX
    || prefixIn(process.env.NPM_CONFIG_USERCONFIG || join(home, '.npmrc')) || prefixIn(join(own, 'etc', 'npmrc'));
  const prefix = named?.replace('$' + '{HOME}', home).replace(/^~(?=\/)/, home);
  return [...new Set([...(prefix ? [prefix] : []), own, '/usr/local'])].map((at) => join(at, 'lib', 'node_modules'));
}`;
