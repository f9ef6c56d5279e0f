import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { onAbort } from '@sandbox/api/wait.ts';
import { isConfined, requireConfined, requirePlainMode } from '../../core/access/caller.ts';
import { asFileFailure, overCap, systemFailure } from '../../core/files/file-failure.ts';
import { type FilePath, shownPath, withoutTrailingSlashes } from '../../core/files/file-path.ts';
import type { Caller, Ownership } from '../../core/files/ownership.ts';
import { makeDirectories, makeOneDirectory } from '../../core/files/place/make-directories.ts';
import { Place, realPathOf } from '../../core/files/place/place.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import type { Finding } from '../../core/finding.ts';
import { type BeforeChange, noChange } from '../../core/ports/before-change-port.ts';
import type { EventData } from '../../core/recorder/event.ts';
import { Recorder } from '../../core/recorder/recorder.ts';
import { copyPath } from './change/copy.ts';
import { clearDirectory, deletePath } from './change/delete.ts';
import { movePath } from './change/move.ts';
import { noteChange, type Operation, uploadedData } from './change-events.ts';
import type { ReplaceMode } from './edit/edit.ts';
import { Editor, type EditResult } from './edit/editor.ts';
import { type View, type ViewTerms, viewPath } from './edit/view.ts';
import type { Precondition } from './etag.ts';
import type { PartJournal } from './parts/part-journal.ts';
import { PathLocks } from './path-locks.ts';
import { probeFileWrite } from './probe.ts';
import { Download } from './read/download.ts';
import { type Listing, type ListRequest, listDirectory } from './read/list.ts';
import {
  type ByteRange,
  type BytesRead,
  type LineRange,
  readBytes,
  readForAnswer,
  type TextRead,
} from './read/read.ts';
import type { ChangePolicy } from './read/send-bytes.ts';
import { type FileStat, statPath } from './read/stat.ts';
import { type ExportTerms, exportTree } from './tar/export.ts';
import { ARCHIVE_BYTES_MAX, type Imported, type ImportTerms, importTree } from './tar/import.ts';
import { type FormPaths, type FormReader, uploadForm } from './upload/form-upload.ts';
import { type Piece, type Progress, ResumableUploads } from './upload/resumable.ts';
import { Upload, type Uploaded, type UploadTerms } from './upload/upload.ts';
import { isAtOnce, type Written, writeInPlace, writePlain } from './write/write.ts';
import { writeAtomically } from './write/write-atomically.ts';

export interface WriteRequest {
  readonly bytes: Buffer;
  readonly append?: boolean | undefined;
  /** Permission bits. */
  readonly mode?: number | undefined;
  /** Written beside the file and renamed, so that readers see the old content or the new one. */
  readonly atomic?: boolean | undefined;
  readonly precondition?: Precondition | undefined;
}

type WholeTerms = Omit<UploadTerms, 'owner'>;

export type EditCommand =
  | {
      readonly command: 'str_replace';
      readonly oldStr: string;
      readonly newStr: string;
      readonly mode?: ReplaceMode | undefined;
    }
  | { readonly command: 'insert'; readonly line: number; readonly text: string }
  | { readonly command: 'undo_edit' };

/** Works on files with the daemon's privileges; the caller only sets the owner of created files. Errors: FileFailure. */
export class FileService implements AsyncDisposable {
  readonly paths: ShellPaths;
  readonly #ownership: Ownership;
  readonly #locks = new PathLocks();
  readonly #editor = new Editor(this.#locks);

  readonly #journal: PartJournal;
  readonly #resumable: ResumableUploads;
  readonly #probes: string;
  readonly #closing = new AbortController();
  readonly #before: BeforeChange;
  readonly #recorder: Recorder;

  /**
   * @param before what happens before each change
   * @param recorder where changes are reported
   * @param journal notes of unfinished files, which it closes
   * @param probes directory for the files that `probe` writes
   * @param paths of requests
   */
  constructor(
    ownership: Ownership,
    journal: PartJournal,
    probes: string,
    paths = new ShellPaths(),
    before: BeforeChange = noChange,
    recorder = new Recorder(),
  ) {
    this.#before = before;
    this.#recorder = recorder;
    this.paths = paths;
    this.#probes = probes;
    this.#ownership = ownership;
    this.#journal = journal;
    this.#resumable = new ResumableUploads(this.#locks, this.#journal);
  }

  /** @throws SandboxError `invalid` if the caller names an account that does not exist */
  requireCaller(caller: Caller): void {
    if (caller.user !== undefined) this.#ownership.of(caller);
  }

  readText(path: FilePath, range: LineRange = {}): Promise<TextRead> {
    return attempt('read', path, () => readForAnswer(path, range));
  }

  readBytes(path: FilePath, range: ByteRange): Promise<BytesRead> {
    return attempt('read', path, () => readBytes(path, range));
  }

  write(path: FilePath, { bytes, append = false, atomic, ...terms }: WriteRequest, caller: Caller): Promise<Written> {
    const writes = async (): Promise<Written> => {
      requirePlainMode(terms.mode);
      const owner = this.#ownership.of(caller);
      if (path.at(-1) === '/' || path.at(-1) === 0x2f) throw systemFailure('EISDIR', 'write', shownPath(path));
      const written = { ...terms, append, owner };
      // Without a wait no other call runs between the steps.
      const isDirect = !atomic && this.#locks.isIdle && isAtOnce(bytes.length);
      const writing = isDirect && !isConfined() ? writePlain(path, bytes, written) : undefined;
      if (writing !== undefined) return await writing;
      using place = Place.find(path, 'write', { follow: true });
      if (isDirect) return await writeInPlace(place, bytes, written);
      return await this.#locks.hold(place.path, () =>
        atomic ? writeAtomically(place, bytes, written, this.#journal) : writeInPlace(place, bytes, written),
      );
    };
    return this.#change('write', path, writes, ({ etag, created }) => ({ bytes: bytes.length, append, created, etag }));
  }

  edit(path: FilePath, edit: EditCommand, precondition?: Precondition): Promise<EditResult> {
    const edits = () => {
      if (edit.command === 'undo_edit') return this.#editor.undo(path);
      if (edit.command === 'insert') return this.#editor.insert(path, edit.line, edit.text, precondition);
      return this.#editor.strReplace(path, edit, precondition);
    };
    return this.#change('edit', path, edits, ({ etag }) => ({ command: edit.command, etag }));
  }

  /** The editor command `create` of 1.x, for a file that does not exist. */
  create(path: FilePath, content: string, caller: Caller): Promise<EditResult> {
    const creates = () => this.#editor.create(path, content, this.#ownership.of(caller));
    return this.#change('create', path, creates, ({ etag }) => ({ etag }));
  }

  /** The editor command `view` of 1.x: see `viewPath`. */
  view(path: FilePath, terms: ViewTerms, gone: AbortSignal): Promise<View> {
    return attempt('view', path, () => viewPath(path, terms, gone));
  }

  /** @returns the number of occurrences */
  replace(path: FilePath, oldStr: string, newStr: string): Promise<number> {
    const replaces = () => this.#editor.replace(path, oldStr, newStr);
    return this.#change('replace', path, replaces, (occurrences) => ({ occurrences }));
  }

  stat(path: FilePath, followSymlinks: boolean): Promise<FileStat> {
    return attempt('stat', path, () => statPath(path, followSymlinks));
  }

  list(request: ListRequest): Promise<Listing> {
    return attempt('list', request.path, () => listDirectory(request));
  }

  /** With `parents`, missing parents are created too, and an existing directory is not an error. */
  mkdir(path: FilePath, parents: boolean, caller: Caller): Promise<void> {
    return attempt('mkdir', path, () => {
      const owner = this.#ownership.of(caller);
      if (parents) makeDirectories(path, owner);
      else makeOneDirectory(withoutTrailingSlashes(path), owner);
      this.#record('mkdir', path);
    });
  }

  /**
   * @returns how many FIFOs, sockets, devices and files that a lease keeps closed were skipped
   * @throws SandboxError `unavailable` if the caller leaves before it is done; nothing of the copy stays
   */
  copy(
    source: FilePath,
    destination: FilePath,
    { overwrite, gone }: { readonly overwrite: boolean; readonly gone: AbortSignal },
    caller: Caller,
  ): Promise<number> {
    const terms = { overwrite, owner: this.#ownership.of(caller), journal: this.#journal, signal: this.#until(gone) };
    const copies = () => {
      requireName(destination, 'copy');
      return copyPath(source, destination, terms);
    };
    return this.#change('copy', source, copies, () => ({ destination: shownPath(destination), overwrite }));
  }

  move(
    source: FilePath,
    destination: FilePath,
    { overwrite, gone }: { readonly overwrite: boolean; readonly gone: AbortSignal },
    caller: Caller,
  ): Promise<void> {
    const terms = { overwrite, owner: this.#ownership.of(caller), journal: this.#journal, signal: this.#until(gone) };
    const moves = () => {
      requireName(destination, 'move');
      return movePath(source, destination, terms);
    };
    return this.#change('move', source, moves, () => ({ destination: shownPath(destination), overwrite }));
  }

  delete(path: FilePath, recursive: boolean): Promise<void> {
    return this.#change(
      'delete',
      path,
      () => deletePath(path, recursive),
      () => ({ recursive }),
    );
  }

  /** Removes what lies in a directory, and keeps the directory. */
  clear(path: FilePath): Promise<void> {
    return this.#change('delete', path, () => clearDirectory(path));
  }

  /** Receives a file; an upload that is cut off leaves the old file as it was. */
  uploadWhole(
    path: FilePath,
    source: AsyncIterable<Buffer>,
    caller: Caller,
    terms: WholeTerms = {},
  ): Promise<Uploaded> {
    const uploads = async (): Promise<Uploaded> => {
      requirePlainMode(terms.mode);
      await using upload = new Upload(this.#locks, this.#journal, { ...terms, owner: this.#ownership.of(caller) });
      await upload.receive(source, path);
      return await upload.commit(path);
    };
    return this.#change('upload', path, uploads, uploadedData);
  }

  /** Receives the file of a form to the path in the form. */
  uploadForm(
    read: FormReader,
    caller: Caller,
    { path, pathOf, ...terms }: WholeTerms & Partial<FormPaths> = {},
  ): Promise<Uploaded & { readonly path: FilePath }> {
    const uploads = async () => {
      requirePlainMode(terms.mode);
      await using upload = new Upload(this.#locks, this.#journal, { ...terms, owner: this.#ownership.of(caller) });
      const uploaded = await uploadForm(upload, read, { path, pathOf });
      this.#record('upload', uploaded.path, uploadedData(uploaded));
      return uploaded;
    };
    return this.#changeUnnoted('upload', '', uploads);
  }

  /** Receives one piece of a file. */
  uploadPiece(
    path: FilePath,
    source: AsyncIterable<Buffer>,
    piece: Piece,
    restart: boolean,
    caller: Caller,
    terms: WholeTerms = {},
  ): Promise<Progress> {
    return attempt('upload', path, async () => {
      requirePlainMode(terms.mode);
      const owned = { ...terms, owner: this.#ownership.of(caller) };
      const progress = await this.#resumable.append(path, source, piece, restart, owned);
      if (progress.isComplete) this.#record('upload', path, uploadedData(progress));
      return progress;
    });
  }

  /** Bytes received so far of a file in pieces. */
  uploadedSize(path: FilePath): Promise<number> {
    return attempt('upload', path, () => this.#resumable.sizeOf(path));
  }

  /** A directory as a tar archive. */
  exportTree(path: FilePath, terms: ExportTerms): Promise<AsyncGenerator<Buffer>> {
    return attempt('export', path, () => exportTree(path, terms));
  }

  /** @param length bytes of the archive; 0 if unknown */
  importTree(
    path: FilePath,
    source: AsyncIterable<Buffer>,
    { length, ...terms }: Omit<ImportTerms, 'owner' | 'journal'> & { readonly length: number },
    caller: Caller,
  ): Promise<Imported> {
    const imports = () => {
      if (length > ARCHIVE_BYTES_MAX) {
        throw overCap(`the archive is over ${ARCHIVE_BYTES_MAX} bytes`, 'import', shownPath(path), 'send it in parts');
      }
      return importTree(path, source, { ...terms, owner: this.#ownership.of(caller), journal: this.#journal });
    };
    return this.#change('import', path, imports, ({ entries }) => ({ entries }));
  }

  /** Opens a file to send; the caller disposes it. */
  download(path: FilePath, policy: ChangePolicy): Promise<Download> {
    return attempt('download', path, () => Download.open(path, policy));
  }

  /** Writes a real file. */
  probe(): Promise<Finding> {
    return probeFileWrite(this.#probes);
  }

  /** @param dataOf what the report of the change has besides its path */
  async #change<T>(
    operation: Operation,
    path: FilePath,
    action: () => T | Promise<T>,
    dataOf?: (done: T) => EventData,
  ): Promise<T> {
    const done = await this.#changeUnnoted(operation, path, action);
    if (this.#recorder.isOn) this.#record(operation, path, dataOf?.(done));
    return done;
  }

  async #changeUnnoted<T>(operation: Operation, path: FilePath, action: () => T | Promise<T>): Promise<T> {
    const held = this.#before({ what: 'a change of files' });
    if (held !== undefined) await held;
    return await attempt(operation, path, action);
  }

  #record(operation: Operation, path: FilePath, data: EventData = {}): void {
    noteChange(this.#recorder, operation, path, data);
  }

  /** Fires when the caller leaves or the service ends, with the error of the call as its reason. */
  #until(gone: AbortSignal): AbortSignal {
    const ended = new AbortController();
    const end = (): void =>
      ended.abort(new SandboxError('unavailable', 'the call was left before it was done; nothing of it stays'));
    onAbort(AbortSignal.any([gone, this.#closing.signal]), end);
    return ended.signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#journal[Symbol.dispose]();
  }
}

/** Turns errors of system calls into failures of this operation on this path. */
async function attempt<T>(operation: string, path: FilePath, action: () => T | Promise<T>): Promise<T> {
  try {
    requireName(path, operation);
    return await action();
  } catch (error) {
    throw asFileFailure(error, operation, shownPath(path));
  }
}

/** The name alone, before anything is said of it: what is opened is checked again. @throws SandboxError `forbidden` */
function requireName(path: FilePath, operation: string): void {
  if (isConfined() && path !== '') requireConfined(() => realPathOf(path, operation), 'read');
}
