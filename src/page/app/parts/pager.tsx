import { texts } from '../texts.ts';

interface PagerProps {
  /** Index of the first shown item, from 0. */
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly onOffset: (offset: number) => void;
}

/** The shown range of a list, with buttons for the previous and next page. */
export function Pager({ offset, limit, total, onOffset }: PagerProps) {
  if (total <= limit && offset === 0) return null;
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit);
  const steps = [
    { to: 0, label: texts.pager.first, sign: '«', off: offset === 0 },
    { to: Math.max(0, offset - limit), label: texts.pager.previous, sign: '‹', off: offset === 0 },
    { to: offset + limit, label: texts.pager.next, sign: '›', off: offset + limit >= total },
    { to: last, label: texts.pager.last, sign: '»', off: offset + limit >= total },
  ];
  return (
    <nav class="pager" aria-label={texts.pager.label}>
      <span>{texts.pager.range(offset + 1, Math.min(total, offset + limit), total)}</span>
      <span class="pager-steps">
        {steps.map(({ to, label, sign, off }) => (
          <button
            key={label}
            type="button"
            aria-label={label}
            title={label}
            // A disabled button would lose the focus at the end of the list.
            aria-disabled={off}
            onClick={() => {
              if (!off) onOffset(to);
            }}
          >
            {sign}
          </button>
        ))}
      </span>
    </nav>
  );
}
