import { useEffect, useState } from 'preact/hooks';
import { type Link, link } from '../sandbox/link.ts';

/** The link, and another drawing whenever it or the state of the sandbox changes. */
export function useLink(): Link {
  const [, draw] = useState(0);
  useEffect(() => link.subscribe(() => draw((count) => count + 1)), []);
  return link;
}
