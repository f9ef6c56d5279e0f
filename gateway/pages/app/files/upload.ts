import { addressOf, call, Refusal } from '../sandbox/api.ts';
import { link } from '../sandbox/link.ts';
import { type Place, placeQuery } from './place.ts';

/** Bytes of one request: a piece that is cut loses nothing, since the service keeps what has arrived of it. */
const PIECE_BYTES = 32 * 1024 ** 2;
/** Without a byte for this long a request is given up and taken up again. */
const STALL_MS = 60_000;
/** Failures in a row without a byte of progress. */
const TRIES = 20;

interface Progress {
  readonly complete: boolean;
  readonly file_size: number;
}

interface UploadOptions {
  /** Whether an earlier attempt of the same file may be continued. */
  readonly resumes: boolean;
  readonly replaces: boolean;
  readonly onProgress: (sent: number) => void;
  /** Whether bytes flow, or the sandbox is waited for. */
  readonly onWaiting: (isWaiting: boolean) => void;
  readonly signal: AbortSignal;
}

/**
 * Uploads a file in pieces (docs/contract.md §3: `PUT` with `Content-Range`). After a cut connection, a restart of the daemon or
 * of the page it continues after the last byte that has arrived.
 * @throws Refusal if the service refuses the file; its status is 412 if there is one with this name
 */
export async function upload(file: File, target: Place, options: UploadOptions): Promise<void> {
  const { signal, resumes, onProgress } = options;
  if (file.size === 0) {
    await put(file, target, {}, options);
    return;
  }
  let sent = resumes ? await arrived(file, target, signal) : 0;
  let restart = !resumes;
  let failures = 0;
  while (sent < file.size) {
    onProgress(sent);
    const end = Math.min(file.size, sent + PIECE_BYTES);
    const range = { range: `bytes ${sent}-${end - 1}/${file.size}`, restart };
    const onPiece = (bytes: number): void => onProgress(sent + bytes);
    try {
      await put(file.slice(sent, end), target, range, { ...options, onProgress: onPiece });
      [sent, restart, failures] = [end, false, 0];
    } catch (error) {
      failures += 1;
      const next = await nextAfter(error, file, target, { ...options, isLast: failures > TRIES });
      if (end === file.size && next === 0 && (await isThere(file, target, signal))) return;
      if (next > sent) failures = 0;
      [sent, restart] = [next, next === 0];
    }
  }
  onProgress(file.size);
}

/**
 * Waits until the sandbox answers again.
 * @returns where the upload continues
 * @throws the error if another attempt would not succeed
 */
async function nextAfter(
  error: unknown,
  file: File,
  target: Place,
  { signal, onWaiting, isLast }: UploadOptions & { readonly isLast: boolean },
): Promise<number> {
  signal.throwIfAborted();
  if (!(error instanceof Refusal) || isLast) throw error;
  const known = error.status === 409 ? sizeIn(error.data) : undefined;
  if (known !== undefined) return known;
  if (!error.isPassing) throw error;
  onWaiting(true);
  await link.whenBack(signal);
  onWaiting(false);
  return await arrived(file, target, signal);
}

/** Bytes of the file that have arrived. */
async function arrived(file: File, target: Place, signal: AbortSignal): Promise<number> {
  const { file_size: size } = await put(
    new Blob(),
    target,
    { range: `bytes */${file.size}` },
    { signal, replaces: true },
  );
  return size < file.size ? size : 0;
}

/** Whether the last piece was carried out although its answer was lost. */
async function isThere(file: File, target: Place, signal: AbortSignal): Promise<boolean> {
  const found = await call<{ size: number }>('v2/fs/stat', { query: placeQuery(target), signal }).catch(
    () => undefined,
  );
  return found?.size === file.size;
}

function sizeIn(data: unknown): number | undefined {
  const size = (data as { size?: unknown } | null)?.size;
  return typeof size === 'number' ? size : undefined;
}

/** One request. `XMLHttpRequest`, because `fetch` does not tell how much has been sent. */
function put(
  body: Blob,
  target: Place,
  { range, restart = false }: { readonly range?: string; readonly restart?: boolean },
  {
    replaces,
    onProgress,
    signal,
  }: Pick<UploadOptions, 'replaces' | 'signal'> & Partial<Pick<UploadOptions, 'onProgress'>>,
): Promise<Progress> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sender = new XMLHttpRequest();
    sender.open('PUT', addressOf('v2/fs/upload', { ...placeQuery(target), restart: restart || undefined }));
    sender.setRequestHeader('content-type', 'application/octet-stream');
    if (range !== undefined) sender.setRequestHeader('content-range', range);
    if (!replaces) sender.setRequestHeader('if-none-match', '*');
    sender.responseType = 'json';
    let stall = setTimeout(() => sender.abort(), STALL_MS);
    const settle = (act: () => void): void => {
      clearTimeout(stall);
      signal.removeEventListener('abort', stop);
      act();
    };
    const stop = (): void => sender.abort();
    signal.addEventListener('abort', stop);
    sender.upload.onprogress = ({ loaded }) => {
      clearTimeout(stall);
      stall = setTimeout(() => sender.abort(), STALL_MS);
      onProgress?.(loaded);
    };
    sender.onload = () => {
      const envelope = sender.response as { data: Progress; message: string; hint: string | null } | null;
      const isDone = sender.status === 200 && envelope !== null;
      settle(() => (isDone ? resolve(envelope.data) : reject(new Refusal(sender.status, envelope ?? {}))));
    };
    const onCut = (): void => settle(() => reject(signal.aborted ? signal.reason : new Refusal(0)));
    sender.onerror = onCut;
    sender.onabort = onCut;
    sender.send(body);
  });
}
