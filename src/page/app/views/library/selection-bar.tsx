import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../../api/request.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { shownName } from '../../parts/shown-name.ts';
import { useAttempt } from '../../parts/use-attempt.ts';
import { focusView } from '../../router.ts';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';
import {
  addReceipts,
  type Collection,
  deleteDocument,
  type LibraryDocument,
  type Receipt,
  setMembership,
} from './library-data.ts';
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
  const { failure, attempt } = useAttempt();
  const move = (method: 'POST' | 'DELETE', target: string) =>
    attempt(async () => {
      for (const { id, collection_ids: ids } of documents) {
        if (ids.includes(target) === (method === 'DELETE')) await setMembership(method, target, id);
      }
      announce(texts.library.moved(documents.length));
      onDone();
    });
  return (
    <>
      {documents.length > 0 && (
        <div class="selection" role="toolbar" aria-label={texts.library.selection}>
          <strong>{texts.library.selected(documents.length)}</strong>
          {others > 0 && (
            <button type="button" onClick={() => void attempt(onSelectAll)}>
              {texts.library.selectAllFound(documents.length + others)}
            </button>
          )}
          <select
            aria-label={texts.library.addTo}
            value=""
            onChange={({ currentTarget }) => {
              const { value } = currentTarget;
              currentTarget.value = '';
              if (value !== '') void move('POST', value);
            }}
          >
            <option value="">{texts.library.addTo}</option>
            {collections.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          {collection !== undefined && (
            <button type="button" onClick={() => void move('DELETE', collection)}>
              {texts.library.takeOut}
            </button>
          )}
          <button type="button" class="danger" onClick={() => setDeleting(documents)}>
            {texts.library.delete}
          </button>
        </div>
      )}
      <Refusal message={failure} />
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

/** Asks for confirmation, deletes the documents one by one, and shows the receipt. */
function Deletion({ documents, onClose }: DeletionProps) {
  const [receipts, setReceipts] = useState<readonly Receipt[]>([]);
  const [phase, setPhase] = useState<'asking' | 'deleting' | 'done'>('asking');
  const [failures, setFailures] = useState<readonly string[]>([]);
  const isStopped = useRef(false);
  const stop = () => {
    isStopped.current = true;
  };
  // A dialog that is closed must not go on deleting unseen.
  useEffect(() => stop, []);
  const run = async () => {
    setPhase('deleting');
    for (const { id, title } of documents) {
      if (isStopped.current) break;
      try {
        const receipt = await deleteDocument(id);
        setReceipts((before) => [...before, receipt]);
      } catch (error) {
        setFailures((before) => [...before, `${title}: ${messageOf(error)}`]);
      }
    }
    setPhase('done');
    announce(texts.library.deleted);
  };
  const more = documents.length - MAX_NAMED;
  return (
    <Dialog
      title={phase === 'done' ? texts.library.receipt : texts.library.deleteTitle(documents.length)}
      onClose={() => onClose(phase !== 'asking')}
    >
      {phase === 'asking' && (
        <>
          <ul class="deletion-names">
            {documents.slice(0, MAX_NAMED).map(({ id, title, file_name: fileName }) => (
              <li key={id}>{shownName(title === '' ? fileName : title)}</li>
            ))}
            {more > 0 && <li>{texts.library.andMore(more)}</li>}
          </ul>
          <p>{texts.library.deleteText}</p>
          <button type="button" class="danger" onClick={() => void run()}>
            {texts.library.deleteForGood}
          </button>
        </>
      )}
      {phase === 'deleting' && (
        <>
          <progress
            value={receipts.length + failures.length}
            max={documents.length}
            aria-label={texts.library.deleteTitle(documents.length)}
          />
          <p>{texts.library.deletedSoFar(receipts.length, documents.length)}</p>
          <button type="button" onClick={stop}>
            {texts.library.stopDeletion}
          </button>
        </>
      )}
      {phase === 'done' && receipts.length > 0 && <ReceiptTable receipt={addReceipts(receipts)} />}
      {failures.map((each) => (
        <p key={each} class="failure" role="alert">
          {each}
        </p>
      ))}
    </Dialog>
  );
}
