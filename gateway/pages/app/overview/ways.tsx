import type { JSX } from 'preact';
import { CopyButton } from '../parts/copy-button.tsx';
import { Panel } from '../parts/panel.tsx';
import { useLink } from '../parts/use-link.ts';
import { routeTo } from '../route.ts';
import { addressOf } from '../sandbox/api.ts';

const APPLICATIONS = [
  ['desktop', 'Desktop (noVNC)', 'vnc/'],
  ['code-server', 'VS Code (code-server)', 'code-server/'],
  ['jupyter', 'JupyterLab', 'jupyter/lab'],
  ['browser', 'Browser (DevTools protocol)', 'cdp/json/version'],
] as const;

/** The applications beside this page: editing and notebooks are theirs. */
export function OpenPanel(): JSX.Element {
  const { applications } = useLink().sandbox;
  const missing = APPLICATIONS.filter(([name]) => applications[name] !== 'running');
  return (
    <Panel title="Open">
      <ul class="links">
        {APPLICATIONS.filter(([name]) => applications[name] === 'running').map(([name, text, href]) => (
          <li key={name}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <p class="quiet">
          Not running: {missing.map(([, text]) => text).join(', ')}.{' '}
          <a href={routeTo('capabilities')}>How to get them</a>
        </p>
      )}
    </Panel>
  );
}

/** Ports that a program in the sandbox listens on. */
export function PortsPanel({ ports }: { readonly ports: readonly number[] }): JSX.Element {
  return (
    <Panel title="Listening in the sandbox">
      {ports.length === 0 ? (
        <p class="quiet">No program listens on a port. Start a server, and a link to it appears here.</p>
      ) : (
        <>
          <ul class="links ports">
            {ports.map((port) => (
              <li key={port}>
                <a href={`open/${port}`}>Port {port}</a>{' '}
                <CopyButton text={addressOf(`open/${port}`)} what={`the link to port ${port}`} />
              </li>
            ))}
          </ul>
          <p class="quiet">A person who opens such a link enters the key.</p>
        </>
      )}
    </Panel>
  );
}
