import { useRef } from 'preact/hooks';
import { rememberedModel } from '../../models.ts';
import { setQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { type AskKind, type AskParameters, askKinds, readFilter } from './ask-parameters.ts';
import { ScopeFields } from './scope-fields.tsx';
import { stop } from './thread.ts';
import type { Turn } from './turns.ts';

export const QUESTION_ID = 'ask-question';

interface ComposerProps {
  readonly parameters: AskParameters;
  readonly draft: string;
  readonly setDraft: (text: string) => void;
  readonly submit: () => void;
  /** Whether the conversation is still being loaded. */
  readonly isLoading: boolean;
  /** The turn being answered. */
  readonly running: Turn | undefined;
  readonly isFirst: boolean;
  readonly notice: string | undefined;
  readonly model: string | undefined;
}

/** The question box, with the kind of answer and the scope. */
export function Composer({
  parameters: place,
  draft,
  setDraft,
  submit,
  isLoading,
  running,
  isFirst,
  notice,
  model,
}: ComposerProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const problem = filterProblem(place.scope.filter);
  const isReady = draft.trim() !== '' && !isLoading && running === undefined && problem === undefined;
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) submit();
        box.current?.focus();
      }}
    >
      {notice !== undefined && (
        <p class="composer-notice" role="status">
          {notice}
        </p>
      )}
      <div class="composer-box">
        <label class="visually-hidden" for={QUESTION_ID}>
          {texts.ask.question}
        </label>
        <textarea
          ref={box}
          id={QUESTION_ID}
          rows={isFirst ? 2 : 1}
          value={draft}
          placeholder={isFirst ? texts.ask.placeholder : texts.ask.followUp}
          aria-describedby="ask-keys"
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            if (isReady) submit();
          }}
        />
        {running === undefined ? (
          <button type="submit" class="primary" disabled={!isReady}>
            {texts.ask.submit}
          </button>
        ) : (
          <button
            type="button"
            class="stop"
            disabled={running.isStopping === true}
            onClick={() => {
              // The button goes away with the focus on it.
              box.current?.focus();
              void stop(running);
            }}
          >
            {running.isStopping === true ? texts.ask.stopping : texts.ask.stop}
          </button>
        )}
      </div>
      <div class="composer-options">
        <KindChoice kind={place.kind} />
        <details class="scope" open={isScoped(place) || undefined}>
          <summary>{texts.ask.scope}</summary>
          <ScopeFields scope={place.scope} model={model} problem={problem} />
        </details>
        <span id="ask-keys" class="notice keys">
          {texts.ask.keys}
        </span>
      </div>
    </form>
  );
}

function KindChoice({ kind }: { readonly kind: AskKind }) {
  return (
    <fieldset class="kinds">
      <legend class="visually-hidden">{texts.ask.kind}</legend>
      {askKinds.map((each) => (
        <label key={each} title={texts.ask.kindHints[each]}>
          <input
            type="radio"
            name="kind"
            value={each}
            checked={each === kind}
            onChange={() => setQuery({ kind: each === 'answer' ? null : each })}
          />
          <span>{texts.ask.kinds[each]}</span>
        </label>
      ))}
      <span class="notice kind-hint">{texts.ask.kindHints[kind]}</span>
    </fieldset>
  );
}

const isScoped = ({ scope }: AskParameters): boolean =>
  Object.values({ ...scope, model: scope.model === rememberedModel() ? '' : scope.model }).some(
    (value) => value !== '',
  );

function filterProblem(filter: string): string | undefined {
  try {
    readFilter(filter);
    return undefined;
  } catch {
    return texts.ask.badFilter;
  }
}
