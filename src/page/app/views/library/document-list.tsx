import { useEffect, useState } from 'preact/hooks';
import type { Collection } from '../../api/load-collections.ts';
import type { ReloadableResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { Pager } from '../../parts/pager.tsx';
import { setQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { DocumentTable } from './document-table.tsx';
import {
  type DocumentPage,
  isFiltered,
  type LibraryDocument,
  type LibraryFilter,
  loadAllDocuments,
  PAGE_SIZE,
} from './library-data.ts';
import { SelectionBar } from './selection-bar.tsx';

interface DocumentListProps {
  readonly documents: ReloadableResource<DocumentPage>;
  readonly filter: LibraryFilter;
  readonly collections: readonly Collection[];
  /** Called after the selected documents were changed or deleted. */
  readonly onChanged: () => void;
}

/** The documents that pass the filter, which can be selected. Those of the filter before stay, dimmed, while it loads. */
export function DocumentList({ documents, filter, collections, onChanged }: DocumentListProps) {
  const { state, collection, title, sort, offset } = filter;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // Set when the documents of all pages have been selected.
  const [all, setAll] = useState<readonly LibraryDocument[]>();
  const selectNone = () => {
    setSelected(new Set());
    setAll(undefined);
  };
  useEffect(selectNone, [state, collection, title, sort.by, sort.order, offset]);
  const selectAll = async () => {
    const found = await loadAllDocuments(filter);
    setAll(found);
    setSelected(new Set(found.map(({ id }) => id)));
  };
  if (documents.kind === 'loading') return <p class="notice">{texts.loading}</p>;
  if (documents.kind === 'failed') return <Failure error={documents.error} retry={documents.reload} />;
  const { isPrevious } = documents;
  const { items, total } = documents.value;
  return (
    <section class="library-list" aria-label={texts.library.list} aria-busy={isPrevious}>
      <div class="library-list-head">
        <p class="notice">
          {isPrevious ? texts.loading : total > 0 ? texts.library.count(total, isFiltered(filter)) : none(filter)}
        </p>
        <SelectionBar
          documents={(all ?? items).filter(({ id }) => selected.has(id))}
          others={items.every(({ id }) => selected.has(id)) ? total - selected.size : 0}
          onSelectAll={selectAll}
          collections={collections}
          collection={collection}
          onDone={() => {
            selectNone();
            onChanged();
          }}
        />
      </div>
      {items.length > 0 && (
        <DocumentTable
          sort={sort}
          documents={items}
          collections={collections}
          selected={selected}
          onSelect={setSelected}
          onChanged={documents.reload}
        />
      )}
      <Pager
        offset={offset}
        limit={PAGE_SIZE}
        total={total}
        onOffset={(to) => setQuery({ page: to === 0 ? null : String(to / PAGE_SIZE + 1) }, {})}
      />
    </section>
  );
}

const none = (filter: LibraryFilter): string => (isFiltered(filter) ? texts.library.noneFits : texts.library.empty);
