// Makes the repository ready to run: installs what package-lock.json names, the repository's own Node included. With the
// argument `product` it leaves out what only tests and releases need.
// Plain JavaScript without dependencies, because the host's Node, from version 20 on, runs it first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const ROOT = fileURLToPath(new URL('.', import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;
const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.setup');
const OWN_NODE = join(MODULES, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

// Each is said aloud because a user's .npmrc may say the opposite; a flag wins over every file and variable.
const NPM_CI = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  process.stderr.isTTY ? '--progress' : '--no-progress',
  '--no-update-notifier',
  '--loglevel=error',
  '--include=optional',
  '--include=peer',
  '--package-lock',
  '--bin-links',
  '--install-strategy=hoisted',
  '--no-dry-run',
  '--no-global',
  '--no-engine-strict',
  '--no-legacy-peer-deps',
  '--no-strict-peer-deps',
  '--workspaces',
  '--include-workspace-root',
];

install();
ensureNode();

function install() {
  const wanted = `${createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')} ${PLATFORM}`;
  const stamp = existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : '';
  const whole = `${wanted}\n`;
  const product = `${wanted} product\n`;
  // What a developer has installed stays: a whole installation is renewed as a whole.
  const isEnough = process.argv[2] === 'product' && (!existsSync(MODULES) || stamp.endsWith(' product\n'));
  if (stamp === whole || (isEnough && stamp === product)) return;
  say(existsSync(MODULES) ? 'node_modules is not what package-lock.json names: installing' : 'installing packages');
  const started = Date.now();
  const { error, status } = npm([...NPM_CI, isEnough ? '--omit=dev' : '--include=dev']);
  if (error) fail(`npm cannot be run (${error.message}): install npm and try again`);
  if (status !== 0) fail('npm ci failed, see above');
  writeFileSync(STAMP, isEnough ? product : whole);
  say(`packages installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

/** `npm run` puts node_modules/.bin first on PATH, so what stands there is the Node that everything runs under. */
function ensureNode() {
  const own = existsSync(OWN_NODE) ? majorOf(versionOf(OWN_NODE)) : 0;
  if (own >= OLDEST_NODE) return;
  if (majorOf(process.version) < OLDEST_NODE) {
    fail(
      `Node ${OLDEST_NODE} or newer is needed: no package brings one to ${PLATFORM}, and this is ${process.version}`,
    );
  }
  rmSync(OWN_NODE, { force: true });
  say(`no package brings Node to ${PLATFORM}: using the host's ${process.version}`);
}

function versionOf(node) {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' });
  return status === 0 ? stdout.trim() : '';
}

function majorOf(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
}

/** The npm that started this script, else the one on PATH. Its standard output is noise; its errors are shown. */
function npm(args) {
  const started = process.env.npm_execpath ?? '';
  const [command, ...first] = basename(started) === 'npm-cli.js' ? [process.execPath, started] : ['npm'];
  return spawnSync(command, [...first, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  });
}

function say(line) {
  process.stdout.write(`setup: ${line}\n`);
}

function fail(line) {
  process.stderr.write(`setup: ${line}\n`);
  process.exit(1);
}
