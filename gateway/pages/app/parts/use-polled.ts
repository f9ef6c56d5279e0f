import { useCallback, useEffect, useState } from 'preact/hooks';
import { useLink } from './use-link.ts';

export interface Polled<T> {
  /** The last answer, also while later ones fail. */
  readonly data: T | undefined;
  /** Of the last call; undefined if it succeeded. */
  readonly error: unknown;
  readonly refresh: () => void;
}

interface State<T> {
  readonly key: string;
  readonly data?: T;
  readonly error?: unknown;
}

/**
 * Reads at once, whenever `key` changes, when the sandbox is reachable again, and then every `ms` while the page is visible.
 * @param ms 0: never again
 */
export function usePolled<T>(read: (signal: AbortSignal) => Promise<T>, key: string, ms: number): Polled<T> {
  const { epoch } = useLink();
  const [state, setState] = useState<State<T>>({ key });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { signal } = aborter;
    const draw = (next: (last: State<T>) => State<T>): void => {
      if (!signal.aborted) setState(next);
    };
    const look = async (): Promise<void> => {
      await read(signal).then(
        (data) => draw(() => ({ key, data })),
        (error: unknown) => draw((last) => ({ ...(last.key === key ? last : { key }), error })),
      );
      if (ms > 0 && !signal.aborted) timer = setTimeout(lookWhenSeen, ms);
    };
    const lookWhenSeen = (): void => {
      if (document.hidden) timer = setTimeout(lookWhenSeen, ms);
      else void look();
    };
    void look();
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, [key, ms, epoch, round]);
  const refresh = useCallback(() => setRound((count) => count + 1), []);
  const current: State<T> = state.key === key ? state : { key };
  return { data: current.data, error: current.error, refresh };
}
