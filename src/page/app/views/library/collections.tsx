import { useState } from 'preact/hooks';
import type { Collection } from '../../api/load-collections.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { setQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { createCollection, removeCollection } from './library-data.ts';

interface CollectionsProps {
  readonly collections: readonly Collection[];
  readonly chosen: string | undefined;
  readonly onChanged: () => void;
}

/** Selects the shown collection, creates new ones and deletes the shown one. */
export function Collections({ collections, chosen, onChanged }: CollectionsProps) {
  const [open, setOpen] = useState<'new' | 'remove'>();
  const collection = collections.find(({ id }) => id === chosen);
  const close = () => setOpen(undefined);
  return (
    <>
      <label>
        <span>{texts.library.collection}</span>
        <select
          value={chosen ?? ''}
          onChange={({ currentTarget: { value } }) => setQuery({ collection: value, page: null })}
        >
          <option value="">{texts.library.anyCollection}</option>
          {collections.map(({ id, name, document_count: count }) => (
            <option key={id} value={id}>
              {texts.library.collectionOption(name, count)}
            </option>
          ))}
          {chosen !== undefined && collection === undefined && <option value={chosen}>{chosen}</option>}
        </select>
      </label>
      <button type="button" onClick={() => setOpen('new')}>
        {texts.library.newCollection}
      </button>
      {collection !== undefined && (
        <button type="button" onClick={() => setOpen('remove')}>
          {texts.library.removeCollection}
        </button>
      )}
      {open === 'new' && (
        <NewCollection
          onClose={close}
          onMade={({ id }) => {
            onChanged();
            setQuery({ collection: id, page: null });
          }}
        />
      )}
      {open === 'remove' && collection !== undefined && (
        <RemoveCollection
          collection={collection}
          onClose={close}
          onRemoved={() => {
            setQuery({ collection: null, page: null });
            onChanged();
          }}
        />
      )}
    </>
  );
}

function NewCollection({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (collection: Collection) => void;
}) {
  const { failure, isBusy, attemptOnce } = useAttempt();
  const submit = (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const text = (name: string) => String(fields.get(name) ?? '').trim();
    return attemptOnce(async () => {
      onMade(await createCollection(text('name'), text('description')));
      onClose();
    });
  };
  return (
    <Dialog title={texts.library.newCollection} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <label>
          {texts.library.collectionName}
          <input name="name" required maxLength={200} />
        </label>
        <label>
          {texts.library.collectionDescription}
          <input name="description" maxLength={1000} />
        </label>
        <Refusal message={failure} />
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {texts.library.create}
        </button>
      </form>
    </Dialog>
  );
}

interface RemoveCollectionProps {
  readonly collection: Collection;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

function RemoveCollection({ collection, onClose, onRemoved }: RemoveCollectionProps) {
  const { failure, isBusy, attemptOnce } = useAttempt();
  const remove = () =>
    attemptOnce(async () => {
      await removeCollection(collection.id);
      onRemoved();
      onClose();
    });
  return (
    <Dialog title={texts.library.removeCollection} onClose={onClose}>
      <p>{texts.library.removeCollectionText(collection.name, collection.document_count)}</p>
      <Refusal message={failure} />
      <button type="button" class="primary" aria-disabled={isBusy} onClick={() => void remove()}>
        {texts.library.removeCollection}
      </button>
    </Dialog>
  );
}
