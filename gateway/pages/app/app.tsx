import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { CapabilitiesView } from './capabilities/capabilities-view.tsx';
import { CodeView } from './code/code-view.tsx';
import { CommandsView } from './commands/commands-view.tsx';
import { FilesView } from './files/files-view.tsx';
import { UploadList } from './files/upload-list.tsx';
import { OverviewView } from './overview/overview-view.tsx';
import { Palette } from './palette/palette.tsx';
import { Icon } from './parts/icons.tsx';
import { LinkNotice } from './parts/link-notice.tsx';
import { SignedIn } from './parts/signed-in.tsx';
import { ProcessesView } from './processes/processes-view.tsx';
import { type Route, routeTo, useRoute, VIEWS, type View } from './route.ts';
import { DesktopView } from './screens/desktop-view.tsx';
import { TerminalView } from './screens/terminal-view.tsx';

const NAMES: Readonly<Record<View, string>> = {
  overview: 'Overview',
  files: 'Files',
  commands: 'Commands',
  code: 'Code',
  terminal: 'Terminal',
  desktop: 'Desktop',
  processes: 'Processes',
  capabilities: 'Capabilities',
};

const SHOWN: Readonly<Record<View, (props: { readonly route: Route }) => JSX.Element>> = {
  overview: OverviewView,
  files: FilesView,
  commands: CommandsView,
  code: CodeView,
  terminal: TerminalView,
  desktop: DesktopView,
  processes: ProcessesView,
  capabilities: CapabilitiesView,
};

export function App(): JSX.Element {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const nav = useRef<HTMLElement>(null);
  const shown = useRef(route.view);
  useLayoutEffect(() => {
    document.title = route.view === 'overview' ? 'Sandbox' : `${NAMES[route.view]} – Sandbox`;
    // Keyboard and screen reader go on in the view that a link has opened.
    if (shown.current !== route.view) main.current?.focus();
    shown.current = route.view;
    // On a narrow screen the views are more than fit.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [route.view]);
  const Shown = SHOWN[route.view];
  return (
    <>
      <a class="skip" href={location.hash || '#/overview'} onClick={(event) => skip(event, main.current)}>
        Skip to the content
      </a>
      <nav ref={nav} class="nav" aria-label="Views">
        <span class="brand">Sandbox</span>
        <ul>
          {VIEWS.map((view) => (
            <li key={view}>
              <a href={routeTo(view)} aria-current={view === route.view ? 'page' : undefined}>
                <Icon name={view} />
                <span>{NAMES[view]}</span>
              </a>
            </li>
          ))}
        </ul>
        <Palette names={NAMES} />
        <SignedIn />
      </nav>
      <main ref={main} tabIndex={-1} class={`view view-${route.view}`}>
        <LinkNotice />
        <h1>{NAMES[route.view]}</h1>
        {route.unknown !== undefined && (
          <p class="quiet" role="status">
            No view is called “{route.unknown.slice(0, 100)}”: this is the overview.
          </p>
        )}
        <Shown route={route} />
      </main>
      <UploadList />
    </>
  );
}

function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}
