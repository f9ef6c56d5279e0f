import { isCdpFailure } from '../cdp/cdp-failure.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import type { Protocol } from '../cdp/cdp-types.ts';

/** A frame of a page with the document that it shows now. */
export interface Frame {
  readonly id: string;
  readonly parentId: string | undefined;
  /** Id of the document's loading: another document has another. */
  readonly loaderId: string;
  readonly url: string;
  /** The session of the process that it is in. */
  readonly session: CdpSession;
}

/** Frames of the main session and of the processes beside it; one whose process goes meanwhile is left out. */
export async function framesOf(main: CdpSession, children: readonly CdpSession[], ms: number): Promise<Frame[]> {
  const trees = await Promise.all([
    treeOf(main, ms),
    ...children.map((child) =>
      treeOf(child, ms).catch((error: unknown) => {
        if (isCdpFailure(error, 'closed', 'protocol', 'timeout')) return [];
        throw error;
      }),
    ),
  ]);
  return trees.flat();
}

async function treeOf(session: CdpSession, ms: number): Promise<Frame[]> {
  const { frameTree } = await session.send('Page.getFrameTree', undefined, ms);
  return flat(frameTree, session);
}

function flat({ frame, childFrames = [] }: Protocol.Page.FrameTree, session: CdpSession): Frame[] {
  const { id, parentId, loaderId, url } = frame;
  return [{ id, parentId, loaderId, url, session }, ...childFrames.flatMap((child) => flat(child, session))];
}
