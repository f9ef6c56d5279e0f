import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { LineForm } from '../parts/line-form.tsx';
import { Problem } from '../parts/panel.tsx';
import { addressOf, call, request } from '../sandbox/api.ts';
import { type Command, endText, isRunning, toneOf } from './command.ts';
import { Output } from './output.tsx';

interface DetailProps {
  readonly id: string;
  /** Undefined if the list does not have it. */
  readonly command: Command | undefined;
  readonly onChange: () => void;
  readonly onAgain: (text: string) => void;
}

/** One command: its state, its output, and what can be done with it. */
export function CommandDetail({ id, command, onChange, onAgain }: DetailProps): JSX.Element {
  const [error, setError] = useState<unknown>();
  const isCut = (command?.command.length ?? 0) >= LISTED;
  const path = `v2/commands/${encodeURIComponent(id)}`;
  const act = (action: () => Promise<unknown>): void => {
    setError(undefined);
    action().then(onChange, setError);
  };
  const kill = (signal: string): void => act(() => call(`${path}/kill`, { method: 'POST', body: { signal } }));
  const onExit = useCallback(() => onChange(), []);
  return (
    <section class="detail" aria-label="Command">
      <header class="detail-head">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
        <pre class="command-text" tabIndex={0}>
          {command?.command ?? id}
        </pre>
        {command && <span class={`tag ${toneOf(command)}`}>{endText(command)}</span>}
        <div class="actions">
          {command && isRunning(command) && (
            <>
              <button type="button" onClick={() => kill('SIGINT')}>
                Interrupt
              </button>
              <button type="button" onClick={() => kill('SIGTERM')}>
                Terminate
              </button>
              <button type="button" class="danger" onClick={() => kill('SIGKILL')}>
                Kill
              </button>
            </>
          )}
          {command && !isRunning(command) && (
            <button type="button" disabled={isCut} onClick={() => onAgain(command.command)}>
              <Icon name="refresh" /> Run again
            </button>
          )}
          {command && !isCut && <CopyButton text={command.command} />}
          <button type="button" onClick={() => act(() => save(path, id))}>
            <Icon name="download" /> Download
          </button>
        </div>
      </header>
      <Problem error={error} />
      <Output id={id} onExit={onExit} />
      {command && isRunning(command) && (
        <LineForm
          label="A line for the standard input of the command"
          placeholder="Standard input"
          action="Send"
          onLine={(line) => act(() => call(`${path}/stdin`, { method: 'POST', body: { input: `${line}\n` } }))}
        />
      )}
    </section>
  );
}

/** Characters of a command in the list, which has the beginning of longer ones. */
const LISTED = 1024;

/** Saves what is kept of both streams, standard output first. */
async function save(path: string, id: string): Promise<void> {
  const parts: Blob[] = [];
  for (const channel of ['stdout', 'stderr']) {
    const headers = { accept: 'application/octet-stream' };
    parts.push(await (await request(addressOf(path, { channel }), { headers })).blob());
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts));
  link.download = `${id}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
