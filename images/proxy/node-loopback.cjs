// Has fetch reach loopback addresses without the proxy of the environment: of no_proxy it compares names only, and it
// takes `::1` for a host with a port. Loaded by NODE_OPTIONS while a proxy is set.
'use strict';

const process = require('node:process');

/** Where Node and undici keep the dispatcher of fetch. */
const PLACES = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'];
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|\[::\]|0\.0\.0\.0|(?:[a-z0-9-]+\.)*localhost)$/i;

function divert(byEnvironment) {
  const { constructor: Agent, dispatch } = byEnvironment;
  let direct;
  byEnvironment.dispatch = (options, handler) => {
    if (!LOOPBACK.test(new URL(options.origin).hostname)) return dispatch.call(byEnvironment, options, handler);
    direct ??= new Agent({ noProxy: '*' });
    return direct.dispatch(options, handler);
  };
}

// Node makes the dispatcher after it has loaded this, and before the first request.
process.nextTick(() => {
  const found = new Set(PLACES.map((name) => globalThis[Symbol.for(name)]));
  for (const dispatcher of found) if (dispatcher?.constructor?.name === 'EnvHttpProxyAgent') divert(dispatcher);
});
