import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { has } from '../../scripts/testing/machine.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { npmStart } from '../npm-start.ts';
import { Services } from '../services.ts';
import { fillWheels, installFrom, wheelsOf } from '../setup/wheels.ts';
import { pythonOfPyenv } from './pyenv.ts';
import type { DayPlace } from './working-day.ts';

const KEY = 'key-of-the-day';
const PIP = '[sys.executable, "-m", "pip", "install", "-q", "tqdm"]';
const BEFORE = ['pandas', 'matplotlib'];

export type OpenPlace = DayPlace & AsyncDisposable;
type Variables = Readonly<Record<string, string>>;

/** Runs a program of the set-up. @throws Error with its output if it fails */
function run(file: string, args: readonly string[], env: Variables = {}): string {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout.trim();
}

/** Variables with which the Python installs from its wheels. */
function wheelsFor(python: string): Variables {
  const version = run(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  fillWheels(version);
  return installFrom(wheelsOf(version));
}

const onPath = (...directories: readonly string[]) => [...directories, process.env['PATH'] ?? ''].join(':');

interface PlaceOptions {
  /** It has pandas and matplotlib before the start. */
  readonly isPrepared?: boolean;
}

/**
 * `npm start` of a user whose first Python is that of Debian. The home is empty; in a prepared one the user has made
 * ~/.venv, as the hint of a refused installation names it.
 */
export async function systemPlace({ isPrepared = false }: PlaceOptions = {}): Promise<OpenPlace> {
  const place = await tempDir();
  const home = join(place.path, 'home');
  mkdirSync(home);
  const env = { ...wheelsFor('/usr/bin/python3'), PATH: onPath('/usr/bin'), HOME: home, VIRTUAL_ENV: '' };
  if (isPrepared) {
    const venv = join(home, '.venv');
    run('/usr/bin/python3', ['-m', 'venv', venv]);
    run(join(venv, 'bin/pip'), ['install', '-q', 'ipykernel', ...BEFORE], env);
  }
  const { npm, url } = await npmStart(join(place.path, 'runtime'), { ...env, SVC_API_KEY: KEY });
  return {
    url,
    key: KEY,
    install: 'pip install',
    installFromCell: PIP,
    refuses: true,
    isPrepared,
    lacksKernel: !isPrepared && !has('ipykernel'),
    [Symbol.asyncDispose]: async () => {
      const closed = once(npm, 'close');
      npm.kill('SIGTERM');
      await closed;
      await place[Symbol.asyncDispose]();
    },
  };
}

interface MadePython {
  /** The directory of its programs. */
  readonly bin: string;
  readonly env: Variables;
  readonly install?: string;
  readonly installFromCell?: string;
}

/** Services whose PATH begins with a Python that is made for them. */
async function placeWith(
  make: (directory: string, wheels: Variables) => MadePython,
  { python = '/usr/bin/python3', isPrepared = false }: PlaceOptions & { readonly python?: string } = {},
): Promise<OpenPlace> {
  const place = await tempDir();
  const home = join(place.path, 'home');
  mkdirSync(home);
  const wheels = wheelsFor(python);
  const made = make(place.path, { ...wheels, HOME: home });
  const { install = 'pip install', installFromCell = PIP } = made;
  const env = { ...wheels, HOME: home, VIRTUAL_ENV: '', CONDA_PREFIX: '', PATH: onPath(made.bin), ...made.env };
  const [program = '', ...args] = install.split(' ');
  const wanted = ['ipykernel', ...(isPrepared ? BEFORE : [])];
  run('/usr/bin/env', [`PATH=${env.PATH}`, program, ...args, '-q', ...wanted], env);
  const services = await Services.start({ ...env, SVC_API_KEY: KEY });
  return {
    url: services.url,
    key: KEY,
    install,
    installFromCell,
    isPrepared,
    [Symbol.asyncDispose]: async () => {
      await services[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** An activated virtual environment. */
export function venvPlace(options: PlaceOptions = {}): Promise<OpenPlace> {
  const make = (directory: string): MadePython => {
    const venv = join(directory, 'venv');
    run('/usr/bin/python3', ['-m', 'venv', venv]);
    return { bin: join(venv, 'bin'), env: { VIRTUAL_ENV: venv } };
  };
  return placeWith(make, options);
}

/** One that uv has made, without pip. */
export function uvPlace(): Promise<OpenPlace> {
  return placeWith((directory, wheels) => {
    const [tools, venv] = [join(directory, 'tools'), join(directory, 'venv')];
    run('/usr/bin/python3', ['-m', 'venv', tools]);
    run(join(tools, 'bin/pip'), ['install', '-q', 'uv'], wheels);
    run(join(tools, 'bin/uv'), ['venv', '-q', '--python', '/usr/bin/python3', venv], wheels);
    return {
      bin: `${join(venv, 'bin')}:${join(tools, 'bin')}`,
      env: { VIRTUAL_ENV: venv },
      install: 'uv pip install',
      installFromCell: '["uv", "pip", "install", "-q", "tqdm"]',
    };
  });
}

/** The layout of pyenv: the programs are shims, and the versions are directories. */
export function pyenvPlace(options: PlaceOptions = {}): Promise<OpenPlace> {
  const { root, version, python } = pythonOfPyenv();
  const make = (directory: string): MadePython => {
    const own = join(directory, 'pyenv');
    copyPython(join(root, 'versions', version), join(own, 'versions', version));
    writeFileSync(join(own, 'version'), `${version}\n`);
    mkdirSync(join(own, 'shims'));
    const env = { PYENV_ROOT: own, PYENV_VERSION: '' };
    run(join(root, 'bin/pyenv'), ['rehash'], env);
    return { bin: join(own, 'shims'), env };
  };
  return placeWith(make, { ...options, python });
}

/** The layout of conda: a prefix of its own with the directory of its records. */
export function condaPlace(): Promise<OpenPlace> {
  const { root, version, python } = pythonOfPyenv();
  const make = (directory: string): MadePython => {
    const prefix = join(directory, 'miniconda3');
    copyPython(join(root, 'versions', version), prefix);
    mkdirSync(join(prefix, 'conda-meta'));
    writeFileSync(join(prefix, 'conda-meta/history'), '');
    return { bin: join(prefix, 'bin'), env: { CONDA_PREFIX: prefix, CONDA_DEFAULT_ENV: 'base' } };
  };
  return placeWith(make, { python });
}

/** A copy without the tests of Python; its scripts name the copy. */
function copyPython(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  run('/bin/sh', ['-c', 'tar -C "$1" --exclude=lib/python3.*/test -cf - . | tar -C "$2" -xf -', 'sh', from, to]);
  for (const name of readdirSync(join(to, 'bin')).filter((each) => each.startsWith('pip'))) {
    const script = join(to, 'bin', name);
    writeFileSync(script, readFileSync(script, 'utf8').replace(from, to));
  }
}
