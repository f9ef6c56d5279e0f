import { describe, test } from 'vitest';

// vitest runs this before each test file: a table without rows would silently define no test.

const guarded = new WeakSet<object>();

type Method = (this: unknown, ...args: unknown[]) => unknown;

guard(test);
guard(describe);

/** Makes `each` and `for` of `test` or `describe`, and of APIs derived from them, reject an empty table. */
function guard(api: object): void {
  if (guarded.has(api)) return;
  guarded.add(api);
  for (const name of ['each', 'for']) {
    replace(
      api,
      name,
      (original) =>
        function refuseEmpty(...args) {
          if (Array.isArray(args[0]) && args[0].length === 0)
            throw new Error(`an empty table: .${name}([]) defines no test`);
          return original.apply(this, args);
        },
    );
  }
  for (const name of ['runIf', 'skipIf', 'extend']) {
    replace(
      api,
      name,
      (original) =>
        function guardDerived(...args) {
          const derived = original.apply(this, args);
          if (typeof derived === 'function') guard(derived);
          return derived;
        },
    );
  }
}

function replace(api: object, name: string, wrap: (original: Method) => Method): void {
  const original: unknown = Reflect.get(api, name);
  if (typeof original === 'function') Reflect.set(api, name, wrap(original as Method));
}
