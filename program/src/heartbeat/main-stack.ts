import { type Debugger, type InspectorNotification, Session } from 'node:inspector';

const FRAMES_MAX = 30;

type Paused = InspectorNotification<Debugger.PausedEventDataType>;
type Parsed = InspectorNotification<Debugger.ScriptParsedEventDataType>;

/**
 * For a worker: the frames of the main thread, which continues afterwards. Undefined if it executes no JavaScript within
 * `ms` milliseconds.
 */
export function mainStack(ms: number): Promise<string[] | undefined> {
  const session = new Session();
  const urls = new Map<string, string>();
  return new Promise((resolve) => {
    const end = (stack: string[] | undefined): void => {
      clearTimeout(timer);
      // It also resumes the main thread, and cancels a pause that has not begun.
      session.disconnect();
      resolve(stack);
    };
    const timer = setTimeout(end, ms, undefined);
    session.on('Debugger.scriptParsed', ({ params }: Parsed) => void urls.set(params.scriptId, params.url));
    session.on('Debugger.paused', ({ params }: Paused) => {
      end(params.callFrames.slice(0, FRAMES_MAX).map((frame) => lineOf(frame, urls)));
    });
    session.connectToMainThread();
    session.post('Debugger.enable');
    session.post('Debugger.pause');
  });
}

function lineOf({ functionName, location }: Debugger.CallFrame, urls: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  const place = `${urls.get(scriptId) || '<anonymous>'}:${lineNumber + 1}:${columnNumber + 1}`;
  return `${functionName || '<anonymous>'} (${place})`;
}
