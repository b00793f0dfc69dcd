import { useEffect, useRef, useState } from 'preact/hooks';
import type { Collection } from '../../api/load-collections.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { shownName } from '../../parts/shown-name.ts';
import { useAttempt } from '../../parts/use-attempt.ts';
import { focusView } from '../../router.ts';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';
import { type DeletionProgress, deleteSelected } from './delete-selected.ts';
import type { LibraryDocument } from './library-data.ts';
import { MOVE_BATCH, moveSelected } from './move-selected.ts';
import { ReceiptTable } from './receipt-table.tsx';

interface SelectionBarProps {
  readonly documents: readonly LibraryDocument[];
  /** If the whole page is selected, the number of documents on other pages. */
  readonly others: number;
  readonly onSelectAll: () => Promise<void>;
  readonly collections: readonly Collection[];
  /** The shown collection. */
  readonly collection: string | undefined;
  readonly onDone: () => void;
}

/** Actions on the selected documents. */
export function SelectionBar(props: SelectionBarProps) {
  const { documents, others, onSelectAll, collections, collection, onDone } = props;
  // The selection when the dialog opened; the list below may change meanwhile.
  const [deleting, setDeleting] = useState<readonly LibraryDocument[]>();
  /** The collection to add to. */
  const [target, setTarget] = useState('');
  const { failure, attempt, setFailure } = useAttempt();
  const [isChoosing, setChoosing] = useState(false);
  const [moved, setMoved] = useState<{ readonly handled: number; readonly total: number }>();
  const [isMoving, setMoving] = useState(false);
  const isStopped = useRef(false);
  const stop = () => {
    isStopped.current = true;
  };
  // A view that is left must not go on changing documents unseen.
  useEffect(() => stop, []);
  const selectAll = async () => {
    setChoosing(true);
    await attempt(onSelectAll);
    setChoosing(false);
  };
  const move = async (kind: 'add' | 'remove', collection: string) => {
    if (isMoving) return;
    setMoving(true);
    const ids = documents
      .filter(({ collection_ids: known }) => known.includes(collection) === (kind === 'remove'))
      .map(({ id }) => id);
    isStopped.current = false;
    setFailure(undefined);
    // A dialog that closes at once would only flicker.
    const isLong = ids.length > MOVE_BATCH;
    if (isLong) setMoved({ handled: 0, total: ids.length });
    let problem: string | undefined;
    let changed = 0;
    for await (const each of moveSelected({ kind, collection, ids })) {
      problem = each.failure ?? each.refusal;
      changed = each.changed;
      if (isLong) setMoved({ handled: each.handled, total: ids.length });
      if (isStopped.current) break;
    }
    setMoved(undefined);
    setMoving(false);
    setTarget('');
    setFailure(problem);
    announce(texts.library.moved(changed));
    // The pressed button disappears with the selection.
    focusView();
    onDone();
  };
  return (
    <>
      {documents.length > 0 && (
        <fieldset class="selection" aria-label={texts.library.selection}>
          <strong>{texts.library.selected(documents.length)}</strong>
          {others > 0 && (
            <button type="button" disabled={isChoosing} onClick={() => void selectAll()}>
              {isChoosing ? texts.loading : texts.library.selectAllFound(documents.length + others)}
            </button>
          )}
          <select
            aria-label={texts.library.addTo}
            value={target}
            onChange={({ currentTarget }) => setTarget(currentTarget.value)}
          >
            <option value="">{texts.library.addTo}</option>
            {collections.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          {/* The arrow keys already change the choice, so that it must not act by itself. */}
          {target !== '' && (
            <button type="button" aria-disabled={isMoving} onClick={() => void move('add', target)}>
              {texts.library.add}
            </button>
          )}
          {collection !== undefined && (
            <button type="button" aria-disabled={isMoving} onClick={() => void move('remove', collection)}>
              {texts.library.takeOut}
            </button>
          )}
          <button type="button" class="danger" onClick={() => setDeleting(documents)}>
            {texts.library.delete}
          </button>
        </fieldset>
      )}
      <Refusal message={failure} />
      {moved !== undefined && (
        <Dialog title={texts.library.moving(moved.total)} onClose={stop}>
          <progress value={moved.handled} max={moved.total} aria-label={texts.library.moving(moved.total)} />
          <p>{texts.library.movedSoFar(moved.handled, moved.total)}</p>
          <button type="button" onClick={stop}>
            {texts.library.stopDeletion}
          </button>
        </Dialog>
      )}
      {deleting !== undefined && (
        <Deletion
          documents={deleting}
          onClose={(isDone) => {
            setDeleting(undefined);
            if (!isDone) return;
            // The button that opened the dialog disappears with the selection.
            focusView();
            onDone();
          }}
        />
      )}
    </>
  );
}

interface DeletionProps {
  readonly documents: readonly LibraryDocument[];
  readonly onClose: (isDone: boolean) => void;
}

const MAX_NAMED = 5;

/** Asks for confirmation, deletes the documents in batches, and shows the receipt. */
function Deletion({ documents, onClose }: DeletionProps) {
  const [progress, setProgress] = useState<DeletionProgress>();
  const [phase, setPhase] = useState<'asking' | 'deleting' | 'done'>('asking');
  const isStopped = useRef(false);
  const stop = () => {
    isStopped.current = true;
  };
  // A dialog that is closed must not go on deleting unseen.
  useEffect(() => stop, []);
  const run = async () => {
    setPhase('deleting');
    let isFailed = false;
    for await (const each of deleteSelected(documents)) {
      setProgress(each);
      isFailed = each.failure !== undefined;
      if (isStopped.current) break;
    }
    setPhase('done');
    if (!isFailed) announce(texts.library.deleted);
  };
  const { handled = 0, receipt, refused = [], failure } = progress ?? {};
  const deleted = receipt?.documents ?? 0;
  return (
    <Dialog
      title={phase === 'done' ? texts.library.receipt : texts.library.deleteTitle(documents.length)}
      onClose={() => onClose(phase !== 'asking')}
    >
      {phase === 'asking' && (
        <>
          <ul class="deletion-names">
            {documents.slice(0, MAX_NAMED).map((document) => (
              <li key={document.id}>{nameOf(document)}</li>
            ))}
            <More count={documents.length - MAX_NAMED} />
          </ul>
          <p>{texts.library.deleteText}</p>
          <button type="button" class="danger" onClick={() => void run()}>
            {texts.library.deleteForGood}
          </button>
        </>
      )}
      {phase === 'deleting' && (
        <>
          <progress value={handled} max={documents.length} aria-label={texts.library.deleteTitle(documents.length)} />
          <p>{texts.library.deletedSoFar(deleted, documents.length)}</p>
          <button type="button" onClick={stop}>
            {texts.library.stopDeletion}
          </button>
        </>
      )}
      {phase === 'done' && receipt !== undefined && deleted > 0 && <ReceiptTable receipt={receipt} />}
      {phase === 'done' && failure === undefined && handled < documents.length && (
        <p>{texts.library.leftBy(documents.length - handled)}</p>
      )}
      {failure !== undefined && (
        <p class="failure" role="alert">
          {texts.library.deletionFailed(failure)}
        </p>
      )}
      {refused.length > 0 && (
        <div class="failure" role="alert">
          <p>{texts.library.notDeleted(refused.length)}</p>
          <ul class="deletion-names">
            {refused.slice(0, MAX_NAMED).map(({ document, message }) => (
              <li key={document.id}>
                {nameOf(document)}: {message}
              </li>
            ))}
            <More count={refused.length - MAX_NAMED} />
          </ul>
        </div>
      )}
    </Dialog>
  );
}

const nameOf = ({ title, file_name: fileName }: LibraryDocument): string => shownName(title === '' ? fileName : title);

const More = ({ count }: { readonly count: number }) => (count > 0 ? <li>{texts.library.andMore(count)}</li> : null);
