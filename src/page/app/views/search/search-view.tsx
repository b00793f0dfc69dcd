import './search.css';
import { useEffect, useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { navigate, route } from '../../router.ts';
import { announce } from '../../shell/announcements.tsx';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { FacetPanel } from './facet-panel.tsx';
import { loadFacets } from './facets.ts';
import { HitCard } from './hit-card.tsx';
import { HowSearched } from './how-searched.tsx';
import { limits, readSearchAddress, type SearchAddress, searchKinds, toSearchLink } from './search-address.ts';
import { type SearchResults, search } from './search-data.ts';

/** The Search view; query and filters are stored in the URL. */
export function SearchView() {
  const address = readSearchAddress(route.value.query);
  const link = toSearchLink(address);
  const results = useResource(
    async (signal) => (address.query.trim() === '' ? undefined : search(address, signal)),
    [link],
  );
  const facets = useResource(loadFacets, []);
  const isEmpty = facets.kind === 'loaded' && facets.value.documents === 0;
  const go = (change: Partial<SearchAddress>) => navigate(toSearchLink({ ...address, page: 1, ...change }));
  const shown = results.kind === 'loaded' ? results.value : undefined;
  const isSearching = address.query.trim() !== '' && (results.kind === 'loading' || results.isPrevious);
  useEffect(() => {
    if (shown !== undefined) announce(describePage(shown, address));
  }, [shown]);
  return (
    <div class="search">
      <h1>{texts.search.title}</h1>
      <SearchForm address={address} onSearch={go} />
      <div class={isEmpty ? undefined : 'search-body'}>
        {!isEmpty && <FacetPanel facets={facets} address={address} onChange={go} />}
        <div class="search-results" aria-busy={isSearching}>
          {results.kind === 'failed' && <Failure error={results.error} retry={results.reload} />}
          {isSearching && !isEmpty && shown === undefined && <p class="notice">{texts.loading}</p>}
          {isEmpty && <EmptyCorpus />}
          {!isEmpty && address.query.trim() === '' && <p class="notice">{texts.search.begin}</p>}
          {!isEmpty && shown !== undefined && address.query.trim() !== '' && (
            <Results address={address} results={shown} onPage={(page) => go({ page })} />
          )}
        </div>
      </div>
    </div>
  );
}

const EmptyCorpus = () => (
  <p class="notice">
    {texts.library.empty} <Link href="/library">{texts.ask.addDocuments}</Link>
  </p>
);

interface SearchFormProps {
  readonly address: SearchAddress;
  readonly onSearch: (change: Partial<SearchAddress>) => void;
}

function SearchForm({ address, onSearch }: SearchFormProps) {
  const [typed, setTyped] = useState(address.query);
  useEffect(() => setTyped(address.query), [address.query]);
  return (
    <search>
      <form
        class="search-form"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch({ query: typed.trim() });
        }}
      >
        <label class="search-query">
          <span>{texts.search.query}</span>
          <input
            type="search"
            name="q"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            autocomplete="off"
          />
        </label>
        <label>
          <span>{texts.search.kind}</span>
          <select
            value={address.kind}
            onChange={({ currentTarget: { value } }) =>
              onSearch({ kind: searchKinds.find((kind) => kind === value) ?? 'auto' })
            }
          >
            {searchKinds.map((kind) => (
              <option key={kind} value={kind}>
                {texts.search.kinds[kind]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{texts.search.limit}</span>
          <select
            value={String(address.limit)}
            onChange={({ currentTarget: { value } }) => onSearch({ limit: Number(value) })}
          >
            {limits.map((limit) => (
              <option key={limit} value={limit}>
                {limit}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary">
          {texts.search.title}
        </button>
      </form>
    </search>
  );
}

interface ResultsProps {
  readonly address: SearchAddress;
  readonly results: SearchResults;
  readonly onPage: (page: number) => void;
}

/** "10 passages", or "Passages 11–20" where there are other pages. */
function describePage({ chunk_search_results: { length } }: SearchResults, { limit, page }: SearchAddress): string {
  return texts.search.found(length, (page - 1) * limit + 1, page === 1 && length < limit);
}

function Results({ address, results, onPage }: ResultsProps) {
  const { limit, page } = address;
  const { chunk_search_results: hits, notes = [], explanation } = results;
  const first = (page - 1) * limit + 1;
  const hasNext = hits.length === limit;
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="search-note">
          {note}
        </p>
      ))}
      {explanation !== undefined && <HowSearched explanation={explanation} shown={describePage(results, address)} />}
      {hits.length === 0 && <p class="notice">{page > 1 ? texts.search.noMore : texts.search.nothing}</p>}
      <ol class="hits" start={first}>
        {hits.map((hit, at) => (
          <HitCard key={hit.id} hit={hit} rank={first + at} terms={explanation?.terms ?? []} />
        ))}
      </ol>
      {(page > 1 || hasNext) && (
        <nav class="pager" aria-label={texts.pager.label}>
          <button type="button" aria-disabled={page === 1} onClick={() => page > 1 && onPage(page - 1)}>
            {texts.pager.previous}
          </button>
          <span>{texts.search.page(page)}</span>
          <button type="button" aria-disabled={!hasNext} onClick={() => hasNext && onPage(page + 1)}>
            {texts.pager.next}
          </button>
        </nav>
      )}
    </>
  );
}
