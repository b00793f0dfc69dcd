import { shownName } from '../../parts/shown-name.ts';
import { unwrapped } from '../../parts/unwrapped.ts';
import { sourceAddress } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { readSearchAddress, toSearchLink } from '../search/search-address.ts';
import { type AnswerState, quoteOf } from './answer-state.ts';
import { chipId, opened, sourceOf, targetOf } from './selection.ts';
import { sourceLabel } from './source-label.ts';
import { answeringCell, cellsOfRow } from './table-quote.ts';

interface QuoteCardsProps {
  readonly turn: string;
  readonly question: string;
  readonly answer: AnswerState;
}

/** An extractive answer: each quotation as a card with its source. */
export function QuoteCards({ turn, question, answer }: QuoteCardsProps) {
  if (answer.marks.length === 0) return <NothingFound question={question} />;
  return (
    <>
      {answer.support === 'closest' && <p class="quote-closest">{texts.ask.closest}</p>}
      <ol class="quote-cards">
        {answer.marks.map((mark, index) => {
          const source = sourceOf(answer, mark);
          const quote = quoteOf(mark, source);
          const target = targetOf(mark, source);
          const title = shownName(quote?.title ?? source?.title ?? '');
          const cell = answeringCell(answer, mark, title);
          if (target.kind !== 'document') return null;
          const [first] = target.quotes;
          const isOpen = opened.value?.turn === turn && opened.value.mark === index;
          return (
            <li key={mark.start} class="card quote-card">
              {cell !== undefined && <p class="quote-cell">{cell}</p>}
              {quote !== undefined && (
                <blockquote>{cellsOfRow(quote.text)?.join(' · ') ?? unwrapped(quote.text)}</blockquote>
              )}
              <p class="quote-place">
                <Link
                  href={sourceAddress(target.documentId, {
                    version: target.version,
                    start: first?.start,
                    end: first?.end,
                  })}
                >
                  {title}
                </Link>
                {quote !== undefined && <span class="notice">{sourceLabel('', quote)}</span>}
              </p>
              <button
                type="button"
                class="open-source"
                id={chipId({ turn, mark: index })}
                data-cite={index}
                aria-expanded={isOpen}
                aria-label={texts.ask.openSourceOf(index + 1, title)}
                onClick={() => {
                  opened.value = { turn, mark: index };
                }}
              >
                {texts.ask.openSource}
              </button>
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** What to try when the documents have nothing on the question. */
function NothingFound({ question }: { readonly question: string }) {
  return (
    <div class="card nothing-found">
      <p>
        <strong>{texts.ask.nothingFound}</strong> {texts.ask.nothingFoundHelp}
      </p>
      <p>
        <Link href={toSearchLink({ ...readSearchAddress(new URLSearchParams()), query: question })}>
          {texts.ask.searchInstead}
        </Link>{' '}
        <Link href="/library">{texts.ask.addDocuments}</Link>
      </p>
    </div>
  );
}
