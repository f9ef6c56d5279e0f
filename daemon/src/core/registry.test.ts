import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { expect, test } from 'vitest';
import { Registry } from './registry.ts';

interface Thing {
  readonly name: string;
  readonly age: number;
}

function things(ceiling: number, givesWay?: (idle: readonly Thing[]) => Thing | undefined): Registry<Thing> {
  return new Registry<Thing>({
    kind: 'things',
    ceiling,
    hint: 'remove one',
    describe: (id, { name }) => ({ thingId: id, name }),
    ...(givesWay && { givesWay }),
  });
}

function add(registry: Registry<Thing>, name: string, age = 0): Thing {
  using place = registry.reserve(name);
  const thing = { name, age };
  place.fill(thing);
  return thing;
}

function failureOf(call: () => unknown): SandboxError {
  try {
    call();
  } catch (error) {
    if (error instanceof SandboxError) return error;
  }
  throw new Error('expected a SandboxError');
}

test('of two reservations of one id the second is a conflict, before the first is filled', () => {
  const registry = things(5);
  using _first = registry.reserve('a');
  expect(failureOf(() => registry.reserve('a')).kind).toBe('conflict');
});

test('places count as soon as they are reserved; the one beyond the ceiling is refused with the holders', () => {
  const registry = things(2);
  add(registry, 'a');
  using _place = registry.reserve('b');
  const error = failureOf(() => registry.reserve('c'));
  expect([error.kind, error.message, error.details.hint]).toEqual([
    'capacity',
    '2 things are open, the ceiling is 2',
    'remove one',
  ]);
  expect(error.details.data).toEqual({ holders: [{ thingId: 'a', name: 'a' }] });
});

test('a reservation that is disposed unfilled gives its place back', () => {
  const registry = things(1);
  registry.reserve('a')[Symbol.dispose]();
  expect(registry.has('a')).toBe(false);
  add(registry, 'a');
  expect(registry.list()).toEqual([{ name: 'a', age: 0 }]);
});

test('a full registry evicts what its policy names, and nothing that is leased', () => {
  const registry = things(2, (idle) => idle.toSorted((a, b) => b.age - a.age)[0]);
  const oldest = add(registry, 'old', 2);
  const newer = add(registry, 'new', 1);
  const lease = registry.lease(oldest);
  using place = registry.reserve('c');
  expect(place.evicted).toBe(newer);
  place.fill({ name: 'c', age: 0 });
  using all = registry.lease(registry.find('c') ?? oldest);
  expect(failureOf(() => registry.reserve('d')).kind).toBe('capacity');
  lease[Symbol.dispose]();
  lease[Symbol.dispose]();
  using last = registry.reserve('d');
  expect([last.evicted, registry.find('old')]).toEqual([oldest, undefined]);
  all[Symbol.dispose]();
});

test('two leases hold an item until both are disposed', () => {
  const registry = things(1, ([first]) => first);
  const thing = add(registry, 'a');
  const [one, two] = [registry.lease(thing), registry.lease(thing)];
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  expect(registry.isLeased(thing)).toBe(true);
  two[Symbol.dispose]();
  expect(registry.isLeased(thing)).toBe(false);
});

test('what does not count leaves its place to others and stays registered', () => {
  const registry = new Registry<Thing>({
    kind: 'things',
    ceiling: 1,
    hint: '',
    describe: () => ({}),
    counts: ({ age }) => age > 0,
  });
  add(registry, 'ended', 0);
  add(registry, 'open', 1);
  expect(registry.list()).toHaveLength(2);
});

test('an item is removed under its id alone, not one that has taken its id since', () => {
  const registry = things(2);
  const first = add(registry, 'a');
  expect(registry.remove('a', first)).toBe(true);
  add(registry, 'a');
  expect(registry.remove('a', first)).toBe(false);
  expect(registry.find('a')).toBeDefined();
});

test('an item that is replaced goes only where a place is free', () => {
  const registry = new Registry<Thing>({
    kind: 'things',
    ceiling: 1,
    hint: '',
    describe: () => ({}),
    counts: ({ age }) => age > 0,
  });
  const ended = add(registry, 'a', 0);
  expect(failureOf(() => registry.reserve('a')).kind).toBe('conflict');
  const open = add(registry, 'open', 1);
  expect(failureOf(() => registry.reserve('a', ended)).kind).toBe('capacity');
  expect(registry.find('a')).toBe(ended);
  registry.remove('open', open);
  using place = registry.reserve('a', ended);
  expect([registry.find('a'), place.evicted]).toEqual([undefined, undefined]);
});

test('an item that does not count is added beyond the ceiling, under an id that is free', () => {
  const registry = new Registry<Thing>({
    kind: 'things',
    ceiling: 1,
    hint: 'remove one',
    describe: (_id, { name }) => ({ name }),
    counts: ({ age }) => age > 0,
  });
  add(registry, 'a', 1);
  registry.add('b', { name: 'b', age: 0 });
  expect(registry.list().map(({ name }) => name)).toEqual(['a', 'b']);
  expect(failureOf(() => registry.add('b', { name: 'b', age: 0 })).kind).toBe('conflict');
  expect(failureOf(() => registry.reserve('c')).kind).toBe('capacity');
});
