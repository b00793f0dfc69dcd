import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { DropZone } from '../library/drop-zone.tsx';
import type { FoundFile } from '../library/read-dropped.ts';
import { UploadList } from '../library/upload-list.tsx';
import { countUploads } from '../library/upload-queue.ts';
import { addToLibrary, uploadInto, uploadQueue, uploads } from '../library/uploads.ts';

interface EmptyCorpusProps {
  /** Called when all files are done and at least one of them can be asked about. */
  readonly onReady: (questions: readonly string[], failed: number) => void;
}

/** Shown while the corpus is empty: ingests dropped or chosen files, or two samples. */
export function EmptyCorpus({ onReady }: EmptyCorpusProps) {
  const isFilling = useRef(false);
  const [questions, setQuestions] = useState<readonly string[]>([]);
  const { total, over, failed } = countUploads(uploads.value);
  const isDone = isFilling.current && over === total && total > failed;
  useEffect(() => {
    if (isDone) onReady(questions, failed);
  }, [isDone]);

  const add = (found: readonly FoundFile[], asked: readonly string[] = []): void => {
    if (found.length === 0) return;
    // Uploads of documents that have been deleted since do not count.
    if (!isFilling.current) uploadQueue.clear();
    isFilling.current = true;
    uploadInto.value = undefined;
    addToLibrary(found);
    setQuestions(asked);
  };
  const addSamples = async (): Promise<void> => {
    const { samples, sampleQuestions } = await import('./samples.ts');
    const files = samples.map(({ name, text }) => new File([text], name, { type: 'text/markdown' }));
    add(
      files.map((file) => ({ file, folder: '' })),
      sampleQuestions,
    );
  };
  return (
    <section class="first-documents" aria-label={texts.ask.empty.heading}>
      <h2>{texts.ask.empty.heading}</h2>
      <p class="notice">{texts.ask.empty.text}</p>
      <DropZone isLarge into={undefined} onFiles={add}>
        <button type="button" onClick={() => void addSamples()}>
          {texts.ask.empty.samples}
        </button>
      </DropZone>
      <UploadList />
    </section>
  );
}
