export type { Arrival, Browser, Page, Snapshot } from './browser/browser.ts';
export type { Checkpoint, CheckpointDiff, CheckpointRestored, Checkpoints } from './checkpoints/checkpoints.ts';
export { Command, type CommandInfo } from './commands/command.ts';
export type {
  CommandExit,
  CommandStatus,
  OutputEvent,
  OutputLost,
  OutputStream,
  OutputText,
} from './commands/output.ts';
export { CommandFailed, type RunOptions, type RunResult } from './commands/run.ts';
export type { StartOptions } from './commands/start.ts';
export { ConnectionLost, OutcomeUnknown, RequestFailed, SandboxError } from './core/errors.ts';
export type { ConnectOptions } from './core/settings.ts';
export type { Ticket, TicketOptions } from './core/tickets.ts';
export type { Desktop, Recording } from './desktop/desktop.ts';
export type { FileEntry, FileInfo, Files, GrepMatch } from './files/files.ts';
export type { TreeReport } from './files/tree.ts';
export type { Progress } from './files/upload.ts';
export { type FileChange, Watch, type WatchEvent, type WatchOverflow } from './files/watch.ts';
export { CellFailed, type CellImage, type CellOutput, type CellResult } from './notebook/cell.ts';
export { Notebook } from './notebook/notebook.ts';
export { Sandbox, type SandboxInfo } from './sandbox.ts';
export type { TerminalEvent } from './terminal/output.ts';
export { type ExecResult, type Screen, Terminal } from './terminal/terminal.ts';
export type { Timeline, TimelineBound, TimelineEvent, TimelinePage, TimelineQuery } from './timeline/timeline.ts';
export type { ToolForms } from './tools/tools.ts';
