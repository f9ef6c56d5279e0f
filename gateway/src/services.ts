import { Browser } from './apps/cdp.ts';
import { Desktop } from './apps/desktop.ts';
import { CODE_SERVER, Editor, JUPYTER } from './apps/editors.ts';
import { Previews } from './apps/preview.ts';
import type { GatewayConfig } from './config.ts';
import { DaemonUpstream } from './daemon/daemon-upstream.ts';
import { GatewayMetrics } from './metrics/gateway-metrics.ts';

/** The upstreams of the gateway: the daemon and the applications. */
export class Services implements AsyncDisposable {
  readonly upstream: DaemonUpstream;
  readonly version: string;
  readonly metrics = new GatewayMetrics();
  readonly browser: Browser;
  readonly desktop: Desktop;
  readonly codeServer: Editor;
  readonly jupyter: Editor;
  readonly previews: Previews;
  /** Whether a port belongs to the product, the public port included, and must not be previewed. */
  readonly isOwnPort: (port: number) => boolean;

  /** @param publicPort the port that the gateway listens on, after it has started listening */
  constructor(config: GatewayConfig, version: string, publicPort: () => number) {
    this.upstream = new DaemonUpstream(config.daemonHost, config.daemonPort);
    this.version = version;
    this.isOwnPort = (port) => config.ownPorts.has(port) || port === publicPort();
    this.browser = new Browser(config.browser);
    this.desktop = new Desktop(config.vnc, config.novncDir);
    this.codeServer = new Editor(CODE_SERVER, config.codeServer);
    this.jupyter = new Editor(JUPYTER, config.jupyter);
    this.previews = new Previews({ previewPath: config.previewPath, isOwnPort: this.isOwnPort });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.browser[Symbol.dispose]();
    this.codeServer[Symbol.dispose]();
    this.jupyter[Symbol.dispose]();
    this.previews[Symbol.dispose]();
    await this.upstream[Symbol.asyncDispose]();
  }
}
