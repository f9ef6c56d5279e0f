/** Relative to the page, so that it also works behind a path prefix. */
const base = new URL('../v2/pty/', location.href);

async function call(path, method = 'GET', body = undefined) {
  const response = await fetch(new URL(path, base), {
    method,
    credentials: 'same-origin',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const { message, hint, data } = await response.json().catch(() => ({ message: `status ${response.status}` }));
  if (response.ok) return data;
  throw Object.assign(new Error(hint ? `${message}: ${hint}` : message), { status: response.status });
}

const sessionPath = (id) => `sessions/${encodeURIComponent(id)}`;

/** All sessions, by id. */
export async function listSessions() {
  return (await call('sessions')).sessions;
}

/** @returns the id of the new session */
export async function openSession(size) {
  return (await call('sessions', 'POST', { ...size, retention: 'persistent' })).session_id;
}

export async function closeSession(id) {
  await call(sessionPath(id), 'DELETE');
}

/** @param since offset of the first output; undefined: the screen is repainted */
export function socketUrl(id, since) {
  const url = new URL(`${sessionPath(id)}/ws`, base);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('protocol', 'binary');
  if (since === undefined) url.searchParams.set('restore', 'true');
  else url.searchParams.set('since', String(since));
  return url;
}

/** Who opened the page. */
export async function readSession() {
  return await call('../session');
}

export async function signOut() {
  await call('../session', 'DELETE');
}
