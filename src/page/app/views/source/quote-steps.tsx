import { texts } from '../../texts.ts';

interface QuoteStepsProps {
  readonly active: number;
  readonly total: number;
  readonly place: string;
  readonly onStep: (to: number) => void;
}

/** Position and location of the active quote, with buttons for the others. */
export function QuoteSteps({ active, total, place: location, onStep }: QuoteStepsProps) {
  return (
    <div class="source-quotes">
      <p>
        <strong>{texts.source.quote(active + 1, total)}</strong>
        {location !== '' && <span class="source-place"> {location}</span>}
      </p>
      {total > 1 && (
        <div class="source-steps">
          <button
            type="button"
            aria-label={texts.source.previousQuote}
            title={texts.source.previousQuote}
            // A disabled button would lose the focus at the first and the last quote.
            aria-disabled={active === 0}
            onClick={() => active > 0 && onStep(active - 1)}
          >
            ↑
          </button>
          <button
            type="button"
            aria-label={texts.source.nextQuote}
            title={texts.source.nextQuote}
            aria-disabled={active === total - 1}
            onClick={() => active < total - 1 && onStep(active + 1)}
          >
            ↓
          </button>
        </div>
      )}
    </div>
  );
}
