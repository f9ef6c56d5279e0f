/** A file of a drop, with its path below what was dropped. */
export interface DroppedFile {
  readonly file: File;
  readonly name: string;
}

/** All files of a drop, those of directories included. */
export async function droppedFiles(items: DataTransferItemList): Promise<readonly DroppedFile[]> {
  // The list is empty once the event is over.
  const roots = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const files: DroppedFile[] = [];
  for (const { entry, file } of roots) {
    if (entry) await collect(entry, entry.name, files);
    else if (file) files.push({ file, name: file.name });
  }
  return files;
}

async function collect(entry: FileSystemEntry, name: string, files: DroppedFile[]): Promise<void> {
  if (isFile(entry)) {
    files.push({ file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), name });
    return;
  }
  if (!isDirectory(entry)) return;
  const reader = entry.createReader();
  for (;;) {
    // A call gives some of the entries, and none after the last.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const child of some) await collect(child, `${name}/${child.name}`, files);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
