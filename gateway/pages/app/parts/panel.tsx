import type { ComponentChildren, JSX } from 'preact';
import { Refusal, wordsOf } from '../sandbox/api.ts';

/** A titled part of a view. */
export function Panel(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly className?: string;
}): JSX.Element {
  return (
    <section class={`panel ${props.className ?? ''}`}>
      <header class="panel-head">
        <h2>{props.title}</h2>
        {props.actions}
      </header>
      {props.children}
    </section>
  );
}

/** Why something cannot be shown, and what to do. */
export function Problem({ error }: { readonly error: unknown }): JSX.Element | null {
  if (error === undefined) return null;
  if (!(error instanceof Refusal)) return <p class="problem">{wordsOf(error)}</p>;
  return (
    <div class="problem" role="alert">
      <p>{error.message}</p>
      {error.hint && <p class="quiet">{error.hint}</p>}
    </div>
  );
}

/** A place without content, with what to do about it. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}
