import type { ComponentChildren, JSX } from 'preact';
import { Icon } from '../parts/icons.tsx';

interface FramedPageProps {
  /** Of the page in its own tab, relative to the app. */
  readonly address: string;
  /** Of the page in the frame, where that is another one. */
  readonly framed?: string;
  /** Name of the frame for screen readers. */
  readonly title: string;
  /** What the page may do, as in the attribute `allow` of a frame. */
  readonly allow: string;
  /** Shown beside the link. */
  readonly children?: ComponentChildren;
}

/** A page of the gateway in a frame, with a link that opens it in a tab of its own. */
export function FramedPage({ address, framed = address, title, allow, children }: FramedPageProps): JSX.Element {
  return (
    <div class="screen">
      <p class="screen-bar">
        <a href={address} target="_blank" rel="noopener">
          <Icon name="open" /> In its own tab
        </a>
        {children}
      </p>
      <iframe key={framed} src={framed} title={title} allow={allow} />
    </div>
  );
}
