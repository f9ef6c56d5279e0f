import type { JSX } from 'preact';
import { Icon } from '../parts/icons.tsx';

interface FramedPageProps {
  /** Of the page, relative to the app. */
  readonly address: string;
  /** Name of the frame for screen readers. */
  readonly title: string;
  /** What the page may do, as in the attribute `allow` of a frame. */
  readonly allow: string;
}

/** A page of the gateway in a frame, with a link that opens it in a tab of its own. */
export function FramedPage({ address, title, allow }: FramedPageProps): JSX.Element {
  return (
    <div class="screen">
      <p class="screen-bar">
        <a href={address} target="_blank" rel="noopener">
          <Icon name="open" /> In its own tab
        </a>
      </p>
      <iframe src={address} title={title} allow={allow} />
    </div>
  );
}
