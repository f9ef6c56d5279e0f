import type { XExtension } from 'x11';
import { XSession } from './x11/x-session.ts';

/** A client of a display, as an application is one. */
export class XClientFixture implements AsyncDisposable {
  readonly session: XSession;

  private constructor(session: XSession) {
    this.session = session;
  }

  static async open(display: string): Promise<XClientFixture> {
    return new XClientFixture(await XSession.open(display));
  }

  /** A window of one colour. */
  async window(title: string, area: readonly [number, number, number, number], pixel = 0xff0000): Promise<number> {
    const { client, root } = this.session;
    const id = client.AllocID();
    client.CreateWindow(id, root, ...area, 0, 0, 0, 0, { backgroundPixel: pixel });
    const [name, type] = [await this.session.atom('_NET_WM_NAME'), await this.session.atom('UTF8_STRING')];
    client.ChangeProperty(0, id, name, type, 8, Buffer.from(title));
    client.ChangeProperty(0, id, await this.session.atom('_NET_WM_PID'), 6, 32, [4321]);
    client.MapWindow(id);
    await this.session.sync();
    return id;
  }

  async close(id: number): Promise<void> {
    (this.session.client as unknown as XExtension)['DestroyWindow'](id);
    await this.session.sync();
  }

  /** Lists windows as a window manager does (EWMH), and follows requests to activate and minimize them. */
  async manage(windows: readonly number[], follows: { minimize: boolean; onMinimize?: () => void }): Promise<void> {
    const { client, root } = this.session;
    const atom = (name: string) => this.session.atom(name);
    const own = await this.window('manager', [0, 0, 1, 1]);
    const [check, list, active, change, state] = await Promise.all(
      ['_NET_SUPPORTING_WM_CHECK', '_NET_CLIENT_LIST', '_NET_ACTIVE_WINDOW', 'WM_CHANGE_STATE', 'WM_STATE'].map(atom),
    );
    for (const window of [root, own]) client.ChangeProperty(0, window, check ?? 0, 33, 32, [own]);
    client.ChangeProperty(0, root, list ?? 0, 33, 32, windows);
    client.ChangeWindowAttributes(root, { eventMask: 0x8_0000 });
    this.session.on('ClientMessage', ({ wid, message_type: type }) => {
      if (type === active) client.ChangeProperty(0, root, active ?? 0, 33, 32, [Number(wid)]);
      if (type === change) follows.onMinimize?.();
      if (type === change && follows.minimize)
        client.ChangeProperty(0, Number(wid), state ?? 0, state ?? 0, 32, [3, 0]);
    });
    await this.session.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session[Symbol.asyncDispose]();
  }
}
