import type { Logger } from '@sandbox/program/logger.ts';
import { AccessibilityService } from './accessibility/accessibility-service.ts';
import { AccessibilityPart } from './accessibility/wire/accessibility-part.ts';
import type { ComputerUseConfig } from './options.ts';
import type { NodeActions, WorkerPart } from './part.ts';
import { Recorder } from './recording/recorder.ts';
import { RecordingPart } from './recording/wire/recording-part.ts';
import { screenSize } from './screen/screen-size.ts';
import { listWindows } from './windows/windows.ts';
import type { XLink } from './x11/x-link.ts';

/** Selects RRScreenChangeNotify (RandR protocol, §6: RRScreenChangeNotifyMask). */
const SCREEN_CHANGE = 1;

/** The parts of the worker beside the display itself, in the order in which they are made. */
export interface Parts {
  readonly list: readonly WorkerPart[];
  /** Absent if accessibility is not served: actions on nodes are refused. */
  readonly nodes?: NodeActions;
}

/** Opens the parts; what they open they release when the worker stops. */
export function openParts(config: ComputerUseConfig, logger: Logger, link: XLink): Parts {
  const activeWindow = async () => {
    const { windows } = await listWindows(await link.use());
    const active = windows.find((window) => window.active);
    return active && { processId: active.processId ?? undefined, title: active.title };
  };
  const accessibility = new AccessibilityPart(
    new AccessibilityService({ sessionBus: config.sessionBus, activeWindow }),
  );
  const recorder = new Recorder({
    display: config.display,
    xauthority: config.xauthority,
    screenSize: async () => screenSize(await link.use()),
    logger,
  });
  link.onConnect(async (session) => {
    session.extension('randr')?.['SelectInput'](session.root, SCREEN_CHANGE);
    session.on('RRScreenChangeNotify', () => recorder.displayResized());
    // It may have changed while there was no connection.
    recorder.displayResized();
  });
  return { list: [accessibility, new RecordingPart(recorder)], nodes: accessibility };
}
