import { shownName } from '../../parts/shown-name.ts';
import { navigate, sourceAddress } from '../../router.ts';
import { texts } from '../../texts.ts';
import { type AnswerState, type Mark, numberOf, quoteOf } from './answer-state.ts';
import { chipId, opened, sourceOf, targetOf } from './selection.ts';
import { hideTip, showTip, TIP_ID, tip } from './tip.tsx';

interface ChipProps {
  readonly turn: string;
  readonly index: number;
  readonly mark: Mark;
  readonly answer: AnswerState;
}

/** A citation chip with number and verdict. Shows the quote, and opens the source beside the answer. */
export function Chip({ turn, index, mark, answer }: ChipProps) {
  const source = sourceOf(answer, mark);
  const quote = quoteOf(mark, source);
  const id = chipId({ turn, mark: index });
  const number = numberOf(mark.sourceId);
  const verdict = mark.verdict === undefined ? undefined : texts.ask.verdicts[mark.verdict];
  const title = shownName(quote?.title ?? source?.title ?? '');
  const target = targetOf(mark, source);
  const isOpen = opened.value?.turn === turn && opened.value.mark === index;
  const isTipShown = tip.value?.of === id;
  const show = (event: { readonly currentTarget: HTMLElement }) =>
    showTip({
      of: id,
      at: event.currentTarget.getBoundingClientRect(),
      title,
      ...(quote !== undefined && { quote }),
      ...(mark.verdict !== undefined && { verdict: mark.verdict }),
    });
  const open = () => {
    if (target.kind === 'web') window.open(target.link, '_blank', 'noopener,noreferrer');
    if (target.kind === 'document') opened.value = { turn, mark: index };
  };
  return (
    <button
      type="button"
      id={id}
      class={`chip ${mark.verdict ?? 'unchecked'}`}
      aria-label={texts.ask.chip(number, verdict, title)}
      aria-describedby={isTipShown ? TIP_ID : undefined}
      aria-expanded={target.kind === 'document' ? isOpen : undefined}
      data-cite={index}
      onMouseEnter={show}
      onMouseLeave={() => hideTip(id)}
      onFocus={show}
      onBlur={() => hideTip(id)}
      onClick={(event) => {
        if (target.kind === 'document' && (event.metaKey || event.ctrlKey)) {
          const [first] = target.quotes;
          navigate(sourceAddress(target.documentId, { version: target.version, start: first?.start, end: first?.end }));
        } else open();
      }}
    >
      <span class="chip-number">{number}</span>
      {verdict !== undefined && <span> {verdict}</span>}
    </button>
  );
}
