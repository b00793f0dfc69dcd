import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';
import { chosenFiles, type DroppedEntry, entriesIn, entriesPasted, type FoundFile, filesOf } from './read-dropped.ts';

interface DropZoneProps {
  readonly isLarge: boolean;
  /** Name of the target collection; undefined for the default one. */
  readonly into: string | undefined;
  readonly onFiles: (found: readonly FoundFile[]) => void;
  /** Buttons for other ways to add documents. */
  readonly children: ComponentChildren;
}

/** Files passed on at a time, so that uploads start while a large folder is still being read. */
const BATCH = 200;

/** Accepts files and folders: dropped anywhere on the page, pasted, or chosen. */
export function DropZone({ isLarge, into, onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  useEffect(() => folder.current?.setAttribute('webkitdirectory', ''), []);

  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      void addEntries(entriesIn(event.dataTransfer));
    };
    const onPaste = (event: ClipboardEvent) => {
      const entries = entriesPasted(event.clipboardData);
      if (entries.length === 0) return;
      event.preventDefault();
      void addEntries(entries);
    };
    const addEntries = async (entries: readonly DroppedEntry[]) => {
      let batch: FoundFile[] = [];
      let count = 0;
      for await (const found of filesOf(entries)) {
        batch.push(found);
        count++;
        if (batch.length < BATCH) continue;
        onFiles(batch);
        batch = [];
      }
      onFiles(batch);
      announce(texts.library.taken(count));
    };
    document.addEventListener('dragover', onOver);
    document.addEventListener('dragleave', onLeave);
    document.addEventListener('drop', onDrop);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('dragleave', onLeave);
      document.removeEventListener('drop', onDrop);
      document.removeEventListener('paste', onPaste);
    };
  }, [onFiles]);

  const take = (input: HTMLInputElement) => {
    const found = chosenFiles(input.files ?? []);
    onFiles(found);
    announce(texts.library.taken(found.length));
    input.value = '';
  };
  return (
    <div class={`drop-zone${isLarge ? ' drop-zone-large' : ''}${isOver ? ' drop-zone-over' : ''}`}>
      <p class={into === undefined ? 'drop-zone-words' : undefined}>
        <strong class="drop-zone-call">{isOver ? texts.library.dropNow : texts.library.drop}</strong>
        <span class="notice"> {into === undefined ? texts.library.formats : texts.library.into(into)}</span>
      </p>
      <div class="drop-zone-buttons">
        <button type="button" class="primary" onClick={() => files.current?.click()}>
          {texts.library.chooseFiles}
        </button>
        {/* Shown on small screens only, where all buttons would cover much of the library. */}
        <button type="button" class="drop-zone-toggle" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {texts.library.otherWays}
        </button>
        <div class={showsAll ? 'drop-zone-others shown' : 'drop-zone-others'}>
          <button type="button" onClick={() => folder.current?.click()}>
            {texts.library.chooseFolder}
          </button>
          {children}
        </div>
      </div>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        data-testid="files"
        onChange={({ currentTarget }) => take(currentTarget)}
      />
      <input ref={folder} type="file" hidden onChange={({ currentTarget }) => take(currentTarget)} />
    </div>
  );
}
