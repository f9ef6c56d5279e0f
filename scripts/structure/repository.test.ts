import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { textFaults } from './text-faults.ts';
import { trackedFiles } from './tracked-files.ts';

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

async function manifests(): Promise<[string, Manifest][]> {
  const files = (await trackedFiles()).filter((file) => /(?:^|\/)package\.json$/.test(file));
  return Promise.all(
    files.map(async (f) => [f, JSON.parse(await readFile(join(ROOT, f), 'utf8')) as Manifest] as const),
  ).then((entries) => entries.map(([file, manifest]) => [file, manifest]));
}

function dependenciesOf(manifest: Manifest): [string, string][] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies });
}

test('every package.json names exact versions', async () => {
  const inexact = (await manifests()).flatMap(([file, manifest]) =>
    dependenciesOf(manifest)
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${file}: ${name} ${version}`),
  );
  expect(inexact).toEqual([]);
});

test('the workspaces have one version, and name each other and every package by one version', async () => {
  const all = await manifests();
  expect(new Set(all.map(([, { version }]) => version)).size).toBe(1);
  const versions = new Map<string, string>();
  const disagreeing = all.flatMap(([file, manifest]) =>
    dependenciesOf(manifest)
      .filter(([name, version]) => {
        const known = versions.get(name) ?? (name.startsWith('@sandbox/') ? manifest.version : undefined) ?? version;
        versions.set(name, known);
        return known !== version;
      })
      .map(([name, version]) => `${file}: ${name} ${version}`),
  );
  expect(disagreeing).toEqual([]);
});

test('the lockfile names no registry, and gives the integrity of every package', async () => {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string; link?: boolean; integrity?: string }>;
  };
  const entries = Object.entries(lock.packages).filter(([path]) => path.includes('node_modules/'));
  expect(entries.length).toBeGreaterThan(100);
  expect(entries.filter(([, { resolved = '' }]) => /^[a-z+]+:/.test(resolved)).map(([path]) => path)).toEqual([]);
  expect(entries.filter(([, { link, integrity }]) => !link && !integrity).map(([path]) => path)).toEqual([]);
});

// Its backend in JavaScript serves; the programs of 30 MB are optional packages of recheck, which npm adds again.
test('the lockfile has no program of recheck', async () => {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const named = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) => [
    path.replace(/^.*node_modules\//, ''),
    ...Object.keys(optionalDependencies),
  ]);
  expect(named).toContain('recheck');
  expect(named.filter((name) => name.startsWith('recheck-'))).toEqual([]);
});

test('no tracked file holds a note to do, a test that is switched off, or a path of one machine', async () => {
  const files = (await trackedFiles()).filter((file) => !/\.(?:png|jpe?g|webp|ico|woff2?|gz)$/.test(file));
  const faults = await Promise.all(files.map(async (f) => textFaults(f, await readFile(join(ROOT, f), 'utf8'))));
  expect(faults.flat()).toEqual([]);
});

// Split, so that this file does not contain the patterns that it tests.
test.each([
  [['// TO', 'DO later'], 'a note to do'],
  [['/* FIX', 'ME */'], 'a note to do'],
  [['test.', "only('a', () => {})"], 'a test that is switched off, or switches others off'],
  [['describe.', "skip('a', () => {})"], 'a test that is switched off, or switches others off'],
  [["readFile('/ro", "ot/a')"], 'a path of one machine'],
  [['see /wo', 'rk/a'], 'a path of one machine'],
])('%j is %s', (pieces, fault) => {
  expect(textFaults('a.test.ts', `\n${pieces.join('')}`)).toEqual([`a.test.ts:2 ${fault}`]);
});

test.each(['/v1/workspace', 'https://example.org/work/a', 'network/requests', 'test.skipIf(no)', 'only('])(
  '%j is no fault',
  (text) => {
    expect(textFaults('a.test.ts', text)).toEqual([]);
  },
);
