import { Failure } from '../../parts/failure.tsx';
import { unwrapped } from '../../parts/unwrapped.ts';
import { sourceAddress } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { outlineOf } from './outline.ts';
import { loadChunks, type Shown } from './source-data.ts';
import { usePages } from './use-pages.ts';

const PAGE = 100;

/** The headings and chunks of the document, as links to their positions. */
export function ChunksTab({ shown: { path, document } }: { readonly shown: Shown }) {
  const pages = usePages(path, (offset, signal) => loadChunks(path, { offset, limit: PAGE }, signal));
  const { items, total, failure, isLoading, more } = pages;
  const at = ({ start, end }: { readonly start: number; readonly end: number }) =>
    sourceAddress(document.id, { version: document.version, start, end });
  if (total === undefined) {
    return failure === undefined ? <p class="notice">{texts.loading}</p> : <Failure error={failure} retry={more} />;
  }
  const outline = outlineOf(items);
  return (
    <div class={outline.length > 1 ? 'source-chunks-tab with-outline' : 'source-chunks-tab'}>
      {outline.length > 1 && (
        <nav aria-label={texts.source.outline} class="source-outline">
          <h2>{texts.source.outline}</h2>
          <ul>
            {outline.map((entry) => (
              <li key={`${entry.start} ${entry.depth}`} style={{ marginInlineStart: `${entry.depth * 0.9}rem` }}>
                <Link href={at(entry)}>{entry.title}</Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <div class="source-chunks-list">
        <ol class="source-chunks">
          {items.map((chunk) => (
            <li key={chunk.id}>
              <p class="source-chunk-place">
                <Link href={at(chunk)}>{texts.source.charactersFrom(chunk.start, chunk.end)}</Link>
                {chunk.page !== null && <span>{texts.source.page(document.document_type, chunk.page)}</span>}
                <span>{chunk.heading_path.join(' › ')}</span>
              </p>
              <p class="source-chunk-text">{unwrapped(chunk.text)}</p>
            </li>
          ))}
        </ol>
        {failure !== undefined && <Failure error={failure} />}
        {items.length < total && (
          <button type="button" class="source-more" aria-disabled={isLoading} onClick={() => isLoading || more()}>
            {texts.source.moreChunks(items.length, total)}
          </button>
        )}
      </div>
    </div>
  );
}
