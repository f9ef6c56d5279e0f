import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/panel.tsx';
import type { Command } from './command.ts';
import { follow } from './follow.ts';
import { OutputScreen } from './output-screen.ts';

/** The output of a command, while it is written. */
export function Output({
  id,
  onExit,
}: {
  readonly id: string;
  readonly onExit: (end: Command['status']) => void;
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!place.current) return;
    setError(undefined);
    const aborter = new AbortController();
    const screen = new OutputScreen(place.current);
    const follower = {
      onText: (stream: 'stdout' | 'stderr', text: string) => screen.push(stream, text),
      onDropped: () => screen.push('note', 'older output is not kept any more\n'),
      onExit: ({ status }: Pick<Command, 'status'>) => onExit(status),
    };
    follow(id, follower, aborter.signal).catch(setError);
    return () => {
      aborter.abort();
      screen.close();
    };
  }, [id]);
  return (
    <>
      <Problem error={error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
      <div class="output" ref={place} role="log" aria-label="Output" aria-live="off" tabIndex={0} />
    </>
  );
}
