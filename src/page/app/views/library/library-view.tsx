import './library.css';
import './sources.css';
import './uploads.css';
import { useEffect } from 'preact/hooks';
import { loadCollections } from '../../api/load-collections.ts';
import { type ReloadableResource, useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { route } from '../../router.ts';
import { texts } from '../../texts.ts';
import { AddSources } from './add-sources.tsx';
import { DocumentList } from './document-list.tsx';
import { DropZone } from './drop-zone.tsx';
import {
  type DocumentPage,
  isFiltered,
  type LibraryFilter,
  loadDocuments,
  readLibraryFilter,
  stateOfStage,
} from './library-data.ts';
import { LibraryFilters } from './library-filters.tsx';
import { canRetry } from './remedy.ts';
import { SourceList } from './source-list.tsx';
import { loadSources } from './sources-data.ts';
import { UploadList } from './upload-list.tsx';
import { addToLibrary, finishedUploads, uploadInto } from './uploads.ts';

/** The Library view: upload, filter, assign to collections, delete. The URL holds the filter. */
export function LibraryView() {
  const filter = readLibraryFilter(route.value.query);
  const { state, collection } = filter;
  const collections = useResource((signal) => loadCollections(signal), []);
  const sources = useResource(loadSources, []);
  const sourcesDone =
    sources.kind === 'loaded' ? sources.value.reduce((sum, { last_sync: sync }) => sum + (sync?.done ?? 0), 0) : 0;
  const documents = useDocuments(filter, sourcesDone);
  uploadInto.value = collection;

  const reloadAll = () => {
    documents.reload();
    collections.reload();
  };
  const known = collections.kind === 'loaded' ? collections.value : [];
  const items = documents.kind === 'loaded' ? documents.value.items : [];
  const isEmpty = documents.kind === 'loaded' && !documents.isPrevious && documents.value.total === 0;
  return (
    <div class="library">
      <h1>{texts.library.title}</h1>
      <DropZone
        isLarge={isEmpty && !isFiltered(filter)}
        into={known.find(({ id }) => id === collection)?.name}
        onFiles={addToLibrary}
      >
        <AddSources collection={collection} onAdded={sources.reload} />
      </DropZone>
      <UploadList />
      {sources.kind === 'failed' && <Failure error={sources.error} retry={sources.reload} />}
      {sources.kind === 'loaded' && <SourceList sources={sources.value} reload={sources.reload} />}
      {/* Shown while the list loads, so that it does not move; a new library has nothing to filter. */}
      {!(isEmpty && !isFiltered(filter) && known.length < 2) && (
        <LibraryFilters
          filter={filter}
          collections={known}
          hasRetryable={state === 'failed' && items.some(({ failure_remedy: remedy }) => canRetry(remedy))}
          onChanged={reloadAll}
        />
      )}
      {collections.kind === 'failed' && <Failure error={collections.error} retry={collections.reload} />}
      <DocumentList documents={documents} filter={filter} collections={known} onChanged={reloadAll} />
    </div>
  );
}

/** Polling interval while a document is being ingested. */
const POLL_INTERVAL_MS = 2_500;
/** Several uploads often end within a short time. */
const UPLOADED_MS = 400;

/** The documents that pass the filter, loaded again when uploads or sources may have changed them. */
function useDocuments(filter: LibraryFilter, sourcesDone: number): ReloadableResource<DocumentPage> {
  const { state, collection, title, sort, offset } = filter;
  const wanted = [state, collection, title, sort.by, sort.order, offset];
  const documents = useResource((signal) => loadDocuments(filter, signal), wanted);
  const { reload } = documents;
  useEffect(() => {
    if (sourcesDone > 0) reload();
  }, [sourcesDone]);
  const finished = finishedUploads.value;
  useEffect(() => {
    if (finished === 0) return;
    const timer = setTimeout(reload, UPLOADED_MS);
    return () => clearTimeout(timer);
  }, [finished]);
  const isWorking =
    documents.kind === 'loaded' &&
    documents.value.items.some(({ ingestion_status: stage }) => stateOfStage(stage) === 'working');
  useEffect(() => {
    if (!isWorking) return;
    const timer = setTimeout(reload, POLL_INTERVAL_MS);
    return () => clearTimeout(timer);
  });
  return documents;
}
