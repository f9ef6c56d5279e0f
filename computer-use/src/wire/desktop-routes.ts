import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { TEXT_MAX_BYTES } from '@sandbox/api/http/computer/action.ts';
import { CLIPBOARD, CURSOR, WINDOWS } from '@sandbox/api/http/computer/routes.ts';
import { ok } from '@sandbox/api/http/envelope.ts';
import type { ActionRunner } from '../input/action-runner.ts';
import { pointerOf } from '../input/pointer.ts';
import { listWindows, type WindowFacts } from '../windows/windows.ts';
import type { XLink } from '../x11/x-link.ts';

/** What a caller looks at beside the picture. */
export function desktopRoutes(v2: App, runner: ActionRunner, link: XLink): void {
  v2.route({
    ...CURSOR,
    handler: async () => {
      const { rootX: x, rootY: y } = await pointerOf(await link.use());
      return ok({ x, y }, `the pointer is at ${x},${y}`);
    },
  });
  v2.route({
    ...CLIPBOARD,
    handler: async () => {
      const selections = await runner.selections();
      const bytes = (await selections.read('CLIPBOARD', TEXT_MAX_BYTES + 1)) ?? Buffer.alloc(0);
      const truncated = bytes.length > TEXT_MAX_BYTES;
      const text = wholeCharacters(bytes.subarray(0, TEXT_MAX_BYTES), truncated);
      return ok({ text, truncated }, truncated ? 'the first MiB of the clipboard' : 'clipboard');
    },
  });
  v2.route({
    ...WINDOWS,
    handler: async () => {
      const { snapshotId, windows, truncated } = await listWindows(await link.use());
      return ok(
        { snapshot_id: snapshotId, windows: windows.map(wireWindow), truncated },
        counted(windows.length, 'window'),
      );
    },
  });
}

function wireWindow({ windowId, processId, ...rest }: WindowFacts) {
  return { window_id: windowId, process_id: processId, ...rest };
}

/** UTF-8 as text, without the character that a cut has split. */
function wholeCharacters(bytes: Buffer, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}
