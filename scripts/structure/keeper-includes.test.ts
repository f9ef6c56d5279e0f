import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';

const DIRECTORY = join(ROOT, 'daemon/keeper');
const MAX_LINES = 250;
/** Variables that belong to the program: the count of lines on stderr, and where a field that is bad points to. */
const OF_THE_PROGRAM = ['base/log.c: static uint64_t lines;', 'base/frame.c:   static char empty[1];'];
/** The one that holds all state, of each program. */
const STATE = [
  'serve.c:   static struct keeper only;',
  'tree/main.c:   static struct tree tree;',
  'watch/watch.c:   static struct watcher watcher;',
];

function sources(): { readonly name: string; readonly text: string }[] {
  const names = readdirSync(DIRECTORY, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[ch]$/.test(name));
  return names.sort().map((name) => ({ name, text: readFileSync(join(DIRECTORY, name), 'utf8') }));
}

/** Folders from the bottom up: a file includes files of its own folder and of those before it. */
const FOLDERS = ['base', 'memory', 'streams', 'process', 'wire', 'finder', 'start', 'end', 'client', '.'];

/** The modules that each module of the keeper includes; a module is a source with its header. */
function includes(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { name, text } of sources().filter((source) => !/^(?:watch|tree)\//.test(source.name))) {
    const module = name.slice(0, -2);
    const targets = graph.get(module) ?? new Set();
    for (const [, target = ''] of text.matchAll(/^#include "([^"]+)\.h"$/gm))
      if (target !== module) targets.add(target);
    graph.set(module, targets);
  }
  return graph;
}

test('a folder of the keeper includes only those below it', () => {
  const level = (module: string): number => FOLDERS.indexOf(posix.dirname(module));
  const upward = [...includes()].flatMap(([module, targets]) =>
    [...targets].filter((target) => level(target) > level(module)).map((target) => `${module}: ${target}`),
  );
  expect(upward).toEqual([]);
  expect([...includes().keys()].filter((module) => level(module) === -1)).toEqual([]);
});

test('the modules of the keeper include each other in no loop, so that each can be read after those below it', () => {
  const graph = includes();
  expect(graph.size).toBeGreaterThan(20);
  for (let left = graph.size; graph.size > 0; left = graph.size) {
    for (const [module, targets] of graph) {
      if (![...targets].some((target) => graph.has(target))) graph.delete(module);
    }
    if (graph.size === left) break;
  }
  expect([...graph.keys()]).toEqual([]);
});

test('the program that watches shares only the framing and the messages with the keeper', () => {
  const shared = sources()
    .filter(({ name }) => name.startsWith('watch/'))
    .flatMap(({ text }) => Array.from(text.matchAll(/^#include "([^"]+)"$/gm), ([, target]) => target));
  expect(shared).toEqual(['base/frame.h', 'base/log.h']);
});

test('the program of trees shares only the framing and the messages with the keeper', () => {
  const shared = sources()
    .filter(({ name }) => name.startsWith('tree/'))
    .flatMap(({ text }) => Array.from(text.matchAll(/^#include "(?!tree\/)([^"]+)"$/gm), ([, target]) => target));
  expect([...new Set(shared)].sort()).toEqual(['base/frame.h', 'base/log.h']);
});

test('the state of the keeper is in struct keeper: no file has variables of its own', () => {
  const variables = sources().flatMap(({ name, text }) =>
    Array.from(
      text.matchAll(/^ *static (?!inline|_Noreturn)[^(\n{]*?(?:;|=.*)$/gm),
      ([line]) => `${name}: ${line}`,
    ).filter((line) => !/\bconst\b/.test(line)),
  );
  expect(variables.sort()).toEqual([...OF_THE_PROGRAM, ...STATE].sort());
});

test('no file of the keeper is longer than 250 lines', () => {
  const long = sources().filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES);
  expect(long.map(({ name }) => name)).toEqual([]);
});
