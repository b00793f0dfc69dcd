import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ReloadableResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { texts } from '../../texts.ts';
import { type Facets, facetLabel } from './facets.ts';
import { isSameChoice, type SearchAddress, toggled } from './search-address.ts';

interface FacetListsProps {
  readonly facets: Facets;
  readonly address: SearchAddress;
  readonly onChange: (change: Partial<SearchAddress>) => void;
}

type FacetPanelProps = Omit<FacetListsProps, 'facets'> & { readonly facets: ReloadableResource<Facets> };

/** Filters derived from the corpus. */
export function FacetPanel({ facets, ...props }: FacetPanelProps) {
  const { types, collections, metadata } = props.address;
  const chosen = types.length + collections.length + metadata.length;
  // Collapsed on narrow screens.
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 52rem)').matches || chosen > 0);
  return (
    <details
      class="facets"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      aria-label={texts.search.filters}
    >
      <summary>{texts.search.filtersChosen(chosen)}</summary>
      {chosen > 0 && (
        <button type="button" onClick={() => props.onChange({ types: [], collections: [], metadata: [] })}>
          {texts.search.clearFilters}
        </button>
      )}
      {facets.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {facets.kind === 'failed' && <Failure error={facets.error} retry={facets.reload} />}
      {facets.kind === 'loaded' && <FacetLists {...props} facets={facets.value} />}
    </details>
  );
}

function FacetLists({ address, onChange, facets }: FacetListsProps) {
  return (
    <>
      <Facet title={texts.search.types}>
        {facets.types.map(({ value, count }) => (
          <Value
            key={value}
            label={value}
            count={count}
            isOn={address.types.includes(value)}
            onToggle={() => onChange({ types: toggled(address.types, value) })}
          />
        ))}
      </Facet>
      {facets.collections.length > 1 && (
        <Facet title={texts.search.collections}>
          {facets.collections.map(({ id, name, count }) => (
            <Value
              key={id}
              label={name}
              count={count}
              isOn={address.collections.includes(id)}
              onToggle={() => onChange({ collections: toggled(address.collections, id) })}
            />
          ))}
        </Facet>
      )}
      {facets.metadata.map(({ key, values }) => (
        <Facet key={key} title={key}>
          {values.map(({ value, count }) => (
            <Value
              key={`${typeof value} ${value}`}
              label={facetLabel(value)}
              count={count}
              isOn={address.metadata.some((each) => isSameChoice(each, { key, value }))}
              onToggle={() => onChange({ metadata: toggled(address.metadata, { key, value }, isSameChoice) })}
            />
          ))}
        </Facet>
      ))}
    </>
  );
}

function Facet({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <fieldset class="facet">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

interface ValueProps {
  readonly label: string;
  readonly count: number;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

function Value({ label, count, isOn, onToggle }: ValueProps) {
  return (
    <button type="button" class="facet-value" aria-pressed={isOn} onClick={onToggle}>
      <span aria-hidden="true">{isOn ? '✓ ' : ''}</span>
      {label} <span class="facet-count">{count.toLocaleString('en')}</span>
    </button>
  );
}
