import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { droppedFiles } from './dropped.ts';
import type { Place } from './place.ts';
import { uploads } from './upload-queue.ts';

/** A place that takes dropped files and directories. */
export function DropPlace(props: { readonly directory: Place; readonly children: ComponentChildren }): JSX.Element {
  const { directory, children } = props;
  const [isOver, setOver] = useState(false);
  const onDrop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    setOver(false);
    if (!event.dataTransfer) return;
    for (const { file, name } of await droppedFiles(event.dataTransfer.items)) uploads.add(file, directory, name);
  };
  const onDragOver = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const onDragLeave = ({ currentTarget, relatedTarget }: DragEvent): void => {
    const isInside = relatedTarget instanceof Node && (currentTarget as Element).contains(relatedTarget);
    if (!isInside) setOver(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button Upload does the same without a pointer
    <div
      class={`drop ${isOver ? 'over' : ''}`}
      onDragOver={onDragOver}
      onDragLeave={onDragLeave}
      onDrop={(event) => void onDrop(event)}
    >
      {children}
      {isOver && <p class="drop-here">Upload to {directory.path}</p>}
    </div>
  );
}
