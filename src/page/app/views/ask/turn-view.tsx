import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';
import { AnswerBody, prepareAnswerBody } from './answer-body.tsx';
import { AnswerFooter } from './answer-footer.tsx';
import { type AnswerState, quoteOf } from './answer-state.ts';
import { checkStored } from './follow-run.ts';
import { QuoteCards } from './quote-cards.tsx';
import { sourceOf } from './selection.ts';
import { StepsFold } from './steps-fold.tsx';
import { isOpen, type Turn } from './turns.ts';

/** A question and its answer. */
export function TurnView({ turn, retry }: { readonly turn: Turn; readonly retry: () => void }) {
  const { key, question, answer, isChecking, isReconnecting } = turn;
  const article = useRef<HTMLElement>(null);
  useStoredCheck(article, turn);
  useEffect(() => {
    // Scrolls to a new question, which would otherwise be below the visible part of the thread.
    if (isOpen(answer)) article.current?.scrollIntoView({ block: 'start' });
    prepareAnswerBody();
  }, []);
  const isWaiting = answer.phase === 'waiting';
  return (
    <article ref={article} class="turn" aria-busy={isOpen(answer)}>
      {question !== '' && <h2 class="question">{question}</h2>}
      <StepsFold answer={answer} />
      {isReconnecting === true ? (
        <p class="notice waiting" role="status">
          {texts.ask.reconnecting}
        </p>
      ) : (
        isWaiting && (
          <p class="notice waiting">
            <Pause until={answer.waitsUntil} otherwise={waitingFor(turn)} />
          </p>
        )
      )}
      {answer.isExtractive && (answer.isChecked || answer.marks.length > 0) && hasAllQuotes(answer) ? (
        <QuoteCards turn={key} question={question} answer={answer} />
      ) : (
        answer.text !== '' && <AnswerBody turn={key} answer={answer} />
      )}
      {answer.phase === 'stopped' && (
        <div class="halted">
          <p>{answer.text === '' ? texts.ask.interrupted : texts.ask.stopped}</p>
          <button type="button" onClick={retry}>
            {texts.ask.again}
          </button>
        </div>
      )}
      {answer.failure !== undefined && (
        <div class="failure" role="alert">
          <p>{answer.failure.message}</p>
          <button type="button" onClick={retry}>
            {texts.ask.again}
          </button>
        </div>
      )}
      {isChecking === true && <p class="notice">{texts.ask.checking}</p>}
      {answer.isPartlyChecked === true && <p class="notice">{texts.ask.partlyChecked}</p>}
      <AnswerFooter answer={answer} />
    </article>
  );
}

/** How long the provider of the model has asked to wait; without a pause, what else is awaited. */
function Pause({ until = 0, otherwise }: { readonly until: number | undefined; readonly otherwise: string }) {
  const [now, setNow] = useState(Date.now);
  const seconds = Math.ceil((until - now) / 1_000);
  useEffect(() => {
    setNow(Date.now());
    if (until <= Date.now()) return;
    announce(texts.ask.paused(Math.ceil((until - Date.now()) / 1_000)));
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [until]);
  return <>{seconds > 0 ? texts.ask.paused(seconds) : otherwise}</>;
}

/** What an answer without text is waiting for. An agent decides itself whether to search. */
function waitingFor({ kind, answer: { found, steps } }: Turn): string {
  if (kind === 'answer') return found === undefined ? texts.ask.waiting : texts.ask.found(found);
  return steps.at(-1)?.result === undefined && steps.length > 0 ? texts.ask.working : texts.ask.waitingForModel;
}

/** Without the words of each quotation, the text of the answer is shown. */
const hasAllQuotes = (answer: AnswerState): boolean =>
  answer.marks.every((mark) => quoteOf(mark, sourceOf(answer, mark)) !== undefined);

/** Looks up the quotes of an earlier answer when it is scrolled into view, because conversations can be long. */
function useStoredCheck(article: { readonly current: HTMLElement | null }, turn: Turn): void {
  const { answer } = turn;
  const isDue = !answer.isChecked && answer.marks.length > 0 && (answer.phase === 'done' || answer.phase === 'stopped');
  useEffect(() => {
    if (!isDue || article.current === null) return;
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      void checkStored(turn);
    });
    watcher.observe(article.current);
    return () => watcher.disconnect();
  }, [isDue, turn.key]);
}
