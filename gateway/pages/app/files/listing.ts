import { useEffect, useState } from 'preact/hooks';
import { useLink } from '../parts/use-link.ts';
import { call } from '../sandbox/api.ts';
import { type Entry, type Place, placeQuery } from './place.ts';

/** Entries of one answer: few enough that reading it is a short task. */
const PAGE = 1000;
/** Entries that the page holds. */
const MOST = 100_000;
/** How often the directory is looked at for changes. */
const WATCH_MS = 3000;

export interface Listing {
  readonly entries: readonly Entry[];
  readonly isComplete: boolean;
  readonly error: unknown;
}

interface Answer {
  readonly files: readonly Entry[];
  readonly truncated: boolean;
  readonly cursor?: string | null;
}

const NOTHING: Listing = { entries: [], isComplete: false, error: undefined };

/** The entries of a directory, which is read again when it changes. */
export function useListing(place: Place | undefined): Listing & { readonly refresh: () => void } {
  const { epoch } = useLink();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ key: string; listing: Listing }>({ key: '', listing: NOTHING });
  const key = place ? (place.path_b64 ?? place.path) : '';
  useEffect(() => {
    if (!place) return;
    const aborter = new AbortController();
    void read(place, aborter.signal, (listing) => setState({ key, listing }), state.key === key);
    const timer = watch(place, aborter.signal, () => setRound((count) => count + 1));
    return () => {
      aborter.abort();
      clearInterval(timer);
    };
  }, [key, epoch, round]);
  const listing = state.key === key ? state.listing : NOTHING;
  return { ...listing, refresh: () => setRound((count) => count + 1) };
}

/** @param isAgain the entries are shown already: they stay until all are read */
async function read(
  place: Place,
  signal: AbortSignal,
  show: (listing: Listing) => void,
  isAgain: boolean,
): Promise<void> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  try {
    do {
      const query = { ...placeQuery(place), limit: PAGE, cursor };
      const answer: Answer = await call<Answer>('v2/fs/list', { query, signal });
      entries.push(...answer.files);
      cursor = answer.truncated && entries.length < MOST ? (answer.cursor ?? undefined) : undefined;
      if (!isAgain || cursor === undefined)
        show({ entries: [...entries], isComplete: cursor === undefined, error: undefined });
    } while (cursor !== undefined);
  } catch (error) {
    if (!signal.aborted) show({ entries, isComplete: true, error });
  }
}

/** Calls back once when the directory has another time of modification. */
function watch(place: Place, signal: AbortSignal, onChange: () => void): ReturnType<typeof setInterval> {
  let first: string | undefined;
  const look = async (): Promise<void> => {
    if (document.hidden) return;
    const { modified_time: time } = await call<Entry>('v2/fs/stat', { query: placeQuery(place), signal });
    if (signal.aborted) return;
    if (first !== undefined && first !== time) onChange();
    first ??= time;
  };
  const quietly = (): void => void look().catch(() => undefined);
  quietly();
  return setInterval(quietly, WATCH_MS);
}
