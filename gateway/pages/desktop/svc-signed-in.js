/** Adds to noVNC's control bar who opened the page, and the way out. */

const SESSION = new URL('../v2/session', location.href);
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="25" height="25" fill="none" stroke="white" stroke-width="2">' +
    '<path d="M14 5H6v15h8M11 12.5h9m-4-4 4 4-4 4"/></svg>',
)}`;

/** The session of the page's cookie; undefined without one. */
async function readSession() {
  const answer = await fetch(SESSION, { cache: 'no-store' }).catch(() => undefined);
  const { data } = answer?.ok ? await answer.json() : {};
  return data?.by === 'cookie' ? data : undefined;
}

async function signOut() {
  const answer = await fetch(SESSION, { method: 'DELETE' }).catch(() => undefined);
  if (answer?.ok) location.reload();
}

/** A page within another leaves it to that. */
const session = window.parent === window ? await readSession() : undefined;
const bar = document.querySelector('#noVNC_control_bar .noVNC_scroll');
if (session && bar) {
  const button = document.createElement('input');
  button.type = 'image';
  button.id = 'svc-sign-out';
  button.className = 'noVNC_button';
  button.src = ICON;
  button.title = `Sign out: ${session.name ?? 'the key'} (${session.scopes.join(', ')})`;
  button.alt = button.title;
  button.addEventListener('click', () => void signOut());
  bar.append(button);
}
