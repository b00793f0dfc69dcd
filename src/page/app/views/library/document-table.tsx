import { useState } from 'preact/hooks';
import type { Collection } from '../../api/load-collections.ts';
import { messageOf } from '../../api/request.ts';
import { shownName } from '../../parts/shown-name.ts';
import { setQuery, sourceAddress } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { type DocumentSort, type SortColumn, sortedBy, writeSort } from './document-sort.ts';
import { type LibraryDocument, retryDocument, stateOfStage } from './library-data.ts';
import { placeOf, shortPlace } from './place-of.ts';
import { canRetry } from './remedy.ts';

interface DocumentTableProps {
  readonly sort: DocumentSort;
  readonly documents: readonly LibraryDocument[];
  readonly collections: readonly Collection[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onChanged: () => void;
}

export function DocumentTable({ sort, documents, collections, selected, onSelect, onChanged }: DocumentTableProps) {
  const names = new Map(collections.map(({ id, name }) => [id, name]));
  const isAll = documents.length > 0 && documents.every(({ id }) => selected.has(id));
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  return (
    <table class="documents">
      <thead>
        <tr>
          <th class="documents-check">
            <CheckBox
              label={texts.library.selectAll}
              isChecked={isAll}
              onChange={() => onSelect(isAll ? new Set() : new Set(documents.map(({ id }) => id)))}
            />
          </th>
          <SortableHead column="title" sort={sort} label={texts.library.document} />
          <th scope="col" class="documents-wide">
            {texts.library.collections}
          </th>
          <SortableHead column="size_in_bytes" sort={sort} label={texts.library.size} isWide />
          <SortableHead column="created_at" sort={sort} label={texts.library.added} isWide />
          <SortableHead column="ingestion_status" sort={sort} label={texts.library.state} />
        </tr>
      </thead>
      <tbody>
        {documents.map((document) => (
          <tr key={document.id} class={selected.has(document.id) ? 'documents-selected' : undefined}>
            <td class="documents-check">
              <CheckBox
                label={texts.library.select(titleOf(document))}
                isChecked={selected.has(document.id)}
                onChange={() => toggle(document.id)}
              />
            </td>
            <td class="documents-title">
              <Link href={sourceAddress(document.id)}>{titleOf(document)}</Link>{' '}
              <span class="documents-type">{document.document_type}</span>
              <Place source={document.source} />
              <FailureText document={document} />
            </td>
            <td class="documents-wide notice">
              {document.collection_ids.map((id) => names.get(id) ?? texts.library.otherCollection).join(', ')}
            </td>
            <td class="documents-wide documents-number">{texts.source.size(document.size_in_bytes)}</td>
            <td class="documents-wide">
              <time dateTime={document.created_at}>{new Date(document.created_at).toLocaleDateString()}</time>
            </td>
            <td>
              <State document={document} onChanged={onChanged} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface SortableHeadProps {
  readonly column: SortColumn;
  readonly sort: DocumentSort;
  readonly label: string;
  /** Left out on narrow screens. */
  readonly isWide?: boolean;
}

/** The head of a column, which sorts the documents of all pages by it. */
function SortableHead({ column, sort, label, isWide = false }: SortableHeadProps) {
  const order = sort.by === column ? sort.order : undefined;
  const sortBy = () => setQuery({ sort: writeSort(sortedBy(column, sort)), page: null });
  return (
    <th
      scope="col"
      class={isWide ? 'documents-wide' : undefined}
      aria-sort={order === undefined ? undefined : order === 'asc' ? 'ascending' : 'descending'}
    >
      <button type="button" class="documents-sort" onClick={sortBy}>
        {label}
        <span class="sort-arrow" aria-hidden="true">
          {order === 'asc' ? '↑' : '↓'}
        </span>
      </button>
    </th>
  );
}

interface CheckBoxProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: () => void;
}

/** A box within a larger area that also takes clicks. */
const CheckBox = ({ label, isChecked, onChange }: CheckBoxProps) => (
  <label class="check-target">
    <input type="checkbox" aria-label={label} checked={isChecked} onChange={onChange} />
  </label>
);

/** Where a document comes from, which distinguishes the many that are called README. */
function Place({ source }: Pick<LibraryDocument, 'source'>) {
  const place = placeOf(source);
  return place === undefined ? null : (
    <p class="documents-place" title={place}>
      {shortPlace(place)}
    </p>
  );
}

function FailureText({ document: { failure, failure_remedy: remedy } }: { readonly document: LibraryDocument }) {
  if (failure === null) return null;
  return (
    <>
      <p class="documents-failure">{failure}</p>
      {remedy !== null && remedy !== 'retry' && <p class="notice">{texts.library.remedies[remedy]}</p>}
    </>
  );
}

const titleOf = ({ title, file_name: fileName }: LibraryDocument): string => shownName(title === '' ? fileName : title);

function State({ document, onChanged }: { readonly document: LibraryDocument; readonly onChanged: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const name = stateOfStage(document.ingestion_status);
  const retry = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await retryDocument(document.id);
      onChanged();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class={`state state-${name}`}>
      <span class="state-name">
        {name === 'working' ? texts.library.stage(document.ingestion_status) : texts.library.states[name]}
      </span>
      {name === 'failed' && canRetry(document.failure_remedy) && (
        <button type="button" disabled={isBusy} onClick={() => void retry()}>
          {texts.retry}
        </button>
      )}
      {problem !== undefined && <span role="alert">{problem}</span>}
    </span>
  );
}
