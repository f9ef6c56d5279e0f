import { useLayoutEffect, useState } from 'preact/hooks';

export const VIEWS = [
  'overview',
  'files',
  'commands',
  'code',
  'terminal',
  'desktop',
  'processes',
  'capabilities',
] as const;
export type View = (typeof VIEWS)[number];

/** Where the page is: the fragment of the address, so that it can be bookmarked and goes through no server. */
export interface Route {
  readonly view: View;
  readonly query: URLSearchParams;
  /** A name of the address that no view has. */
  readonly unknown?: string | undefined;
}

/** @param hash `#/files?path=%2Fhome` */
function parseRoute(hash: string): Route {
  const [name = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const view = VIEWS.find((known) => known === name);
  const unknown = view === undefined && name !== '' ? name : undefined;
  return { view: view ?? 'overview', query: new URLSearchParams(query), unknown };
}

/** The fragment that leads to a view. */
export function routeTo(view: View, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `#/${view}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  // Before the links can be used; the address may have changed since the first drawing.
  useLayoutEffect(() => {
    const read = (): void => setRoute(parseRoute(location.hash));
    read();
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return route;
}

const KEPT = 'sandbox-route';

/** Remembers the route of this tab for the next time that the page is opened without one. */
export function keepRoute(): void {
  sessionStorage.setItem(KEPT, location.hash);
}

export function restoreRoute(): void {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (kept !== null && location.hash === '') history.replaceState(null, '', kept);
}
