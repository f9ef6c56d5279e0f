import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';

const DIRECTORY = join(ROOT, 'daemon/keeper');

/** The modules that each module of the keeper includes; a module is a source with its header. */
function includes(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of readdirSync(DIRECTORY).filter((name) => /\.[ch]$/.test(name))) {
    const module = file.slice(0, -2);
    const targets = graph.get(module) ?? new Set();
    const text = readFileSync(join(DIRECTORY, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/^#include "([^"]+)\.h"$/gm))
      if (target !== module) targets.add(target);
    graph.set(module, targets);
  }
  return graph;
}

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
