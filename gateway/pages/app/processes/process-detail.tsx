import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { bytesText, durationText, secondText } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/panel.tsx';
import { call } from '../sandbox/api.ts';
import type { Process } from './process.ts';

const STATES: Readonly<Record<string, string>> = {
  R: 'running',
  S: 'sleeping',
  D: 'waiting for a device',
  T: 'stopped',
  t: 'stopped by a debugger',
  Z: 'ended, its parent has not noticed',
  I: 'idle',
};

interface ProcessDetailProps {
  /** Undefined: it has ended. */
  readonly process: Process | undefined;
  readonly share: number | undefined;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

/** One process: what it is, and a way to end it. */
export function ProcessDetail({ process, share, onClose, onChange }: ProcessDetailProps): JSX.Element {
  const [error, setError] = useState<unknown>();
  const head = useRef<HTMLHeadingElement>(null);
  // Before the next key: Escape closes what is shown.
  useLayoutEffect(() => head.current?.focus(), []);
  const send = (signal: string): void => {
    if (process === undefined) return;
    setError(undefined);
    const { pid, start_ticks } = process;
    call(`v2/system/processes/${pid}/signal`, { method: 'POST', body: { start_ticks, signal } }).then(
      onChange,
      setError,
    );
  };
  const end = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    if (process === undefined) return;
    const how = signal === 'SIGKILL' ? 'Kill' : 'End';
    const loss = signal === 'SIGKILL' ? ' It cannot save anything.' : '';
    if (confirm(`${how} ${process.name} (process ${process.pid})?${loss}`)) send(signal);
  };
  const isFixed = process === undefined || process.protected;
  return (
    <section class="viewer" aria-label="Process" onKeyDown={({ key }) => key === 'Escape' && onClose()}>
      <header>
        <h2 ref={head} tabIndex={-1}>
          {process === undefined ? 'It has ended' : `${process.name} · ${process.pid}`}
        </h2>
        <button type="button" disabled={isFixed} onClick={() => end('SIGTERM')}>
          End
        </button>
        <button type="button" class="danger" disabled={isFixed} onClick={() => end('SIGKILL')}>
          Kill
        </button>
        <button type="button" class="plain" aria-label="Close the process" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <Problem error={error} />
      {process?.protected && <p class="quiet">It belongs to the service, which does not end it for anyone.</p>}
      {process && <Facts process={process} share={share} />}
    </section>
  );
}

function Facts({ process, share }: { readonly process: Process; readonly share: number | undefined }): JSX.Element {
  const facts: readonly (readonly [string, string])[] = [
    ['Owner', process.user],
    ['State', STATES[process.state] ?? process.state],
    ['Started', secondText(process.started_at)],
    ['Parent', String(process.parent)],
    ['Threads', String(process.threads)],
    ['CPU', share === undefined ? '–' : `${share.toFixed(1)} % of one processor`],
    ['CPU so far', durationText(process.cpu_seconds)],
    ['Memory', bytesText(process.memory_bytes)],
  ];
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <div class="text" tabIndex={0} role="region" aria-label="Command">
        <pre>{process.command}</pre>
      </div>
    </>
  );
}
