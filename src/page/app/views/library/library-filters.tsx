import { useEffect, useState } from 'preact/hooks';
import type { Collection } from '../../api/load-collections.ts';
import { Refusal } from '../../parts/refusal.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { setQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Collections } from './collections.tsx';
import { type LibraryFilter, retryFailed, stateNames } from './library-data.ts';

interface LibraryFiltersProps {
  readonly filter: LibraryFilter;
  readonly collections: readonly Collection[];
  /** Whether failed documents are shown of which another attempt may succeed. */
  readonly hasRetryable: boolean;
  readonly onChanged: () => void;
}

/** Filters of the list of documents, which the URL holds. */
export function LibraryFilters({
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
