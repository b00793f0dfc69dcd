import './library.css';
import './sources.css';
import './uploads.css';
import { useEffect, useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { route, setQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { AddSources } from './add-sources.tsx';
import { Collections } from './collections.tsx';
import { DocumentTable } from './document-table.tsx';
import { DropZone } from './drop-zone.tsx';
import {
  type Collection,
  isFiltered,
  type LibraryDocument,
  type LibraryFilter,
  loadAllDocuments,
  loadCollections,
  loadDocuments,
  PAGE_SIZE,
  readLibraryFilter,
  retryFailed,
  stateNames,
  stateOfStage,
} from './library-data.ts';
import { canRetry } from './remedy.ts';
import { SelectionBar } from './selection-bar.tsx';
import { SourceList } from './source-list.tsx';
import { loadSources } from './sources-data.ts';
import { UploadList } from './upload-list.tsx';
import { addToLibrary, finishedUploads, uploadInto } from './uploads.ts';

/** Polling interval while a document is being ingested. */
const POLL_INTERVAL_MS = 2_500;

/** The Library view: upload, filter, assign to collections, delete. The URL holds the filter. */
export function LibraryView() {
  const filter = readLibraryFilter(route.value.query);
  const { state, collection, title, offset } = filter;
  const documents = useResource((signal) => loadDocuments(filter, signal), [state, collection, title, offset]);
  const collections = useResource((signal) => loadCollections(signal), []);
  const sources = useResource(loadSources, []);
  const sourcesDone =
    sources.kind === 'loaded' ? sources.value.reduce((sum, { last_sync: sync }) => sum + (sync?.done ?? 0), 0) : 0;
  useEffect(() => {
    if (sourcesDone > 0) documents.reload();
  }, [sourcesDone]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // Set when the documents of all pages have been selected.
  const [all, setAll] = useState<readonly LibraryDocument[]>();
  const selectNone = () => {
    setSelected(new Set());
    setAll(undefined);
  };
  useEffect(selectNone, [state, collection, title, offset]);
  const selectAll = async () => {
    const found = await loadAllDocuments(filter);
    setAll(found);
    setSelected(new Set(found.map(({ id }) => id)));
  };
  uploadInto.value = collection;

  const items = documents.kind === 'loaded' ? documents.value.items : [];
  const isWorking = items.some(({ ingestion_status: stage }) => stateOfStage(stage) === 'working');
  const finished = finishedUploads.value;
  useEffect(() => {
    if (finished === 0) return;
    const timer = setTimeout(documents.reload, 400);
    return () => clearTimeout(timer);
  }, [finished]);
  useEffect(() => {
    if (!isWorking) return;
    const timer = setTimeout(documents.reload, POLL_INTERVAL_MS);
    return () => clearTimeout(timer);
  });

  const reloadAll = () => {
    selectNone();
    documents.reload();
    collections.reload();
  };
  const known = collections.kind === 'loaded' ? collections.value : [];
  // What is shown may still belong to the filter before.
  const isEmpty = documents.kind === 'loaded' && documents.value.total === 0;
  return (
    <div class="library">
      <h1>{texts.library.title}</h1>
      <DropZone
        isLarge={isEmpty && !documents.isPrevious && !isFiltered(filter)}
        into={known.find(({ id }) => id === collection)?.name}
        onFiles={addToLibrary}
      >
        <AddSources collection={collection} onAdded={sources.reload} />
      </DropZone>
      <UploadList />
      {sources.kind === 'failed' && <Failure error={sources.error} retry={sources.reload} />}
      {sources.kind === 'loaded' && <SourceList sources={sources.value} reload={sources.reload} />}
      <LibraryFilters
        filter={filter}
        collections={known}
        hasRetryable={state === 'failed' && items.some(({ failure_remedy: remedy }) => canRetry(remedy))}
        onChanged={reloadAll}
      />
      {collections.kind === 'failed' && <Failure error={collections.error} retry={collections.reload} />}
      {documents.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {documents.kind === 'failed' && <Failure error={documents.error} retry={documents.reload} />}
      {documents.kind === 'loaded' && (
        <section class="library-list" aria-label={texts.library.list} aria-busy={documents.isPrevious}>
          <div class="library-list-head">
            {!isEmpty && (
              <p class="notice">
                {documents.isPrevious ? texts.loading : texts.library.count(documents.value.total, isFiltered(filter))}
              </p>
            )}
            <SelectionBar
              documents={(all ?? items).filter(({ id }) => selected.has(id))}
              others={items.every(({ id }) => selected.has(id)) ? documents.value.total - selected.size : 0}
              onSelectAll={selectAll}
              collections={known}
              collection={collection}
              onDone={reloadAll}
            />
          </div>
          {isEmpty ? (
            <p class="notice">
              {documents.isPrevious ? texts.loading : isFiltered(filter) ? texts.library.noneFits : texts.library.empty}
            </p>
          ) : (
            <DocumentTable
              documents={items}
              collections={known}
              selected={selected}
              onSelect={setSelected}
              onChanged={documents.reload}
            />
          )}
          <Pager
            offset={offset}
            limit={PAGE_SIZE}
            total={documents.value.total}
            onOffset={(to) => setQuery({ page: to === 0 ? null : String(to / PAGE_SIZE + 1) }, {})}
          />
        </section>
      )}
    </div>
  );
}

interface LibraryFiltersProps {
  readonly filter: LibraryFilter;
  readonly collections: readonly Collection[];
  /** Whether failed documents are shown of which another attempt may succeed. */
  readonly hasRetryable: boolean;
  readonly onChanged: () => void;
}

function LibraryFilters({
  filter: { state, collection, title },
  collections,
  hasRetryable,
  onChanged,
}: LibraryFiltersProps) {
  return (
    <search class="library-filters" aria-label={texts.library.filters}>
      <TitleFilter value={title} />
      <label>
        <span>{texts.library.state}</span>
        <select value={state ?? ''} onChange={({ currentTarget: { value } }) => setQuery({ state: value, page: null })}>
          <option value="">{texts.library.anyState}</option>
          {stateNames.map((name) => (
            <option key={name} value={name}>
              {texts.library.states[name]}
            </option>
          ))}
        </select>
      </label>
      <Collections collections={collections} chosen={collection} onChanged={onChanged} />
      {hasRetryable && <RetryAll onDone={onChanged} />}
    </search>
  );
}

function RetryAll({ onDone }: { readonly onDone: () => void }) {
  const { failure, attempt } = useAttempt();
  const retry = () =>
    attempt(async () => {
      await retryFailed();
      onDone();
    });
  return (
    <>
      <button type="button" onClick={() => void retry()}>
        {texts.library.retryAll}
      </button>
      <Refusal message={failure} />
    </>
  );
}

const TYPING_MS = 300;

/** Filters by title, debounced. */
function TitleFilter({ value }: { readonly value: string }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => setQuery({ title: typed, page: null }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="library-title-filter">
      <span>{texts.library.titleFilter}</span>
      <input type="search" value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
    </label>
  );
}
