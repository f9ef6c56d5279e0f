// Has fetch reach loopback addresses without the proxy of the environment: of no_proxy it compares names only, and it
// takes `::1` for a host with a port. Loaded by NODE_OPTIONS while a proxy is set.
'use strict';

const process = require('node:process');

/** Where Node keeps the dispatcher of fetch. */
const PLACE = Symbol.for('undici.globalDispatcher.2');
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|\[::\]|0\.0\.0\.0|(?:[a-z0-9-]+\.)*localhost)$/i;

function divert(byEnvironment) {
  if (byEnvironment?.constructor?.name !== 'EnvHttpProxyAgent') return;
  const { constructor: Agent, dispatch } = byEnvironment;
  let direct;
  byEnvironment.dispatch = (options, handler) => {
    if (!LOOPBACK.test(new URL(options.origin).hostname)) return dispatch.call(byEnvironment, options, handler);
    direct ??= new Agent({ noProxy: '*' });
    return direct.dispatch(options, handler);
  };
}

// Node makes the dispatcher after it has loaded this and before the program, which may call fetch at once: the one
// moment is when it becomes a property of the global object.
const { defineProperty } = Object;
Object.defineProperty = (object, name, descriptor) => {
  if (object === globalThis && name === PLACE) divert(descriptor.value);
  return defineProperty(object, name, descriptor);
};
process.nextTick(() => {
  Object.defineProperty = defineProperty;
});
// A worker thread has it before this is loaded.
divert(globalThis[PLACE]);
