import { navigate } from '../router.ts';
import { texts } from '../texts.ts';
import { entriesIn, entriesPasted, type FoundFile, filesOf } from '../views/library/read-dropped.ts';
import { addToLibrary } from '../views/library/uploads.ts';
import { announce } from './announcements.tsx';
import { session } from './session.tsx';

/**
 * Adds files to the library, and opens it, that are dropped or pasted where no view takes them; the browser would open
 * dropped ones in place of the page.
 */
export function takeStrayFiles(): () => void {
  const isTaken = () => session.peek().kind === 'signed_in';
  const onOver = (event: DragEvent): void => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = isTaken() ? 'copy' : 'none';
  };
  const onDrop = (event: DragEvent): void => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    if (isTaken()) void add(filesOf(entriesIn(event.dataTransfer)));
  };
  const onPaste = (event: ClipboardEvent): void => {
    const entries = event.defaultPrevented ? [] : entriesPasted(event.clipboardData);
    if (entries.length === 0 || !isTaken()) return;
    event.preventDefault();
    void add(filesOf(entries));
  };
  addEventListener('dragover', onOver);
  addEventListener('drop', onDrop);
  addEventListener('paste', onPaste);
  return () => {
    removeEventListener('dragover', onOver);
    removeEventListener('drop', onDrop);
    removeEventListener('paste', onPaste);
  };
}

async function add(files: AsyncIterable<FoundFile>): Promise<void> {
  const found: FoundFile[] = [];
  for await (const file of files) found.push(file);
  if (found.length === 0) return;
  addToLibrary(found);
  if (location.pathname !== '/library') navigate('/library');
  announce(texts.library.taken(found.length));
}
