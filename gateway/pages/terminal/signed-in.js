import { readSession, signOut } from './api.js';

/** Shows who opened the page, and the way out; a page within another leaves that to it. */
export async function showSignedIn(element, notice) {
  if (window.parent !== window) return;
  const session = await readSession().catch(() => undefined);
  if (session?.by !== 'cookie') return;
  const who = document.createElement('span');
  who.textContent = `${session.name ?? 'The key'} (${session.scopes.join(', ')})`;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Sign out';
  button.addEventListener('click', () => {
    signOut().then(
      () => location.reload(),
      (error) => {
        notice.textContent = error.message;
      },
    );
  });
  element.replaceChildren(who, button);
  element.hidden = false;
}
