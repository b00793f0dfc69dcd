import { CopyButton } from '../../parts/copy-button.tsx';
import { texts } from '../../texts.ts';
import { answerAsText } from './answer-as-text.ts';
import type { AnswerState } from './answer-state.ts';
import { isOpen } from './turns.ts';

const count = new Intl.NumberFormat('en');

/** Model, tokens, cost and time of the answer, and a button that copies it. */
export function AnswerFooter({ answer }: { readonly answer: AnswerState }) {
  const { model, usage, stopReason } = answer;
  if (isOpen(answer)) return null;
  const { input_tokens: input = 0, output_tokens: output = 0, seconds, cost_usd: cost } = usage ?? {};
  const facts = [
    answer.isExtractive ? '' : (model ?? ''),
    input + output > 0 ? texts.ask.usage(count.format(input), count.format(output)) : '',
    typeof cost === 'number' && cost > 0 ? texts.ask.cost(cost.toFixed(cost < 0.01 ? 4 : 2)) : '',
    seconds === undefined ? '' : texts.ask.seconds(seconds.toFixed(1)),
    endedEarly(stopReason),
  ].filter((fact) => fact !== '');
  const hasText = answer.text.trim() !== '';
  if (facts.length === 0 && !hasText) return null;
  return (
    <footer class="answer-footer">
      {hasText && <CopyButton text={() => answerAsText(answer)} label={texts.ask.copyAnswer} isQuiet />}
      <span>{facts.join(' · ')}</span>
    </footer>
  );
}

function endedEarly(reason: string | undefined): string {
  const ended: Readonly<Record<string, string>> = texts.ask.ended;
  return reason === undefined ? '' : (ended[reason] ?? '');
}
