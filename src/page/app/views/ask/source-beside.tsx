import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../../parts/failure.tsx';
import { loadCode } from '../../parts/load-code.ts';
import { texts } from '../../texts.ts';
import type { SourcePaneProps } from '../source/source-pane.tsx';
import { statementBefore } from './answer-state.ts';
import { chipId, opened, type Selected, sourceOf, targetOf } from './selection.ts';
import { type CitationPlace, leaveSourceEntry, useSourceHistory } from './source-history.ts';
import { thread } from './turns.ts';
import { citationPlace, stepCitation } from './use-citation-keys.ts';

/** The source of the selected citation, beside the answer. Its code is loaded on first use. */
export function SourceBeside() {
  const [Pane, setPane] = useState<ComponentType<SourcePaneProps>>();
  const [failure, setFailure] = useState<unknown>();
  const selected = opened.value;
  const isNeeded = selected !== undefined && Pane === undefined;
  const load = () => {
    setFailure(undefined);
    loadCode(() => import('../source/source-pane.tsx')).then(({ SourcePane }) => setPane(() => SourcePane), setFailure);
  };
  useEffect(() => {
    if (isNeeded) load();
  }, [isNeeded]);
  useSourceHistory({ place: selected && placeOf(selected), onBack: hide, onForward: openAt });
  const target = selected && targetAt(selected);
  if (selected === undefined || target?.kind !== 'document') return null;
  const { documentId, version, quotes } = target;
  return (
    <aside
      class="source-side"
      aria-label={texts.ask.pane}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close();
      }}
    >
      <CitationSteps />
      {failure !== undefined && <Failure error={failure} retry={load} />}
      {Pane === undefined ? (
        failure === undefined && <p class="notice">{texts.loading}</p>
      ) : (
        <Pane
          documentId={documentId}
          version={version}
          quotes={quotes}
          isBeside
          known={quotes.length === 0 && <KnownCitation selected={selected} />}
        />
      )}
    </aside>
  );
}

/** What a stored answer tells about a citation whose quote it does not keep. */
function KnownCitation({ selected: { turn, mark } }: { readonly selected: Selected }) {
  const answer = thread.value.turns.find(({ key }) => key === turn)?.answer;
  const cited = answer?.marks[mark];
  if (answer === undefined || cited === undefined) return null;
  const title = sourceOf(answer, cited)?.title ?? '';
  return (
    <div class="source-kept">
      <p>{texts.ask.known(title)}</p>
      <blockquote>{statementBefore(answer, cited.start)}</blockquote>
      {cited.verdict !== undefined && <p>{texts.ask.knownVerdict(texts.ask.verdicts[cited.verdict])}</p>}
    </div>
  );
}

/** Position of the citation, buttons for the previous and next one, and back; always visible. */
function CitationSteps() {
  const { at, total } = citationPlace();
  return (
    <div class="citation-steps">
      <span class="notice">{texts.ask.citation(at, total)}</span>
      <button type="button" aria-disabled={at <= 1} onClick={() => stepCitation(-1)} title={texts.ask.previousKey}>
        {texts.ask.previous}
      </button>
      <button type="button" aria-disabled={at >= total} onClick={() => stepCitation(1)} title={texts.ask.nextKey}>
        {texts.ask.next}
      </button>
      <button type="button" onClick={close}>
        {texts.ask.close}
      </button>
    </div>
  );
}

function close(): void {
  hide();
  leaveSourceEntry();
}

/** Closes the source and returns to its citation. */
function hide(): void {
  const selected = opened.value;
  opened.value = undefined;
  // The pane restores the focus to its opener, which may be another citation.
  if (selected !== undefined) requestAnimationFrame(() => document.getElementById(chipId(selected))?.focus());
}

const placeOf = ({ turn, mark }: Selected): CitationPlace => ({
  turn: thread.value.turns.findIndex(({ key }) => key === turn),
  mark,
});

/** Opens the source of a citation if the thread has it. */
function openAt({ turn, mark }: CitationPlace): boolean {
  const key = thread.value.turns[turn]?.key;
  const selected = key === undefined ? undefined : { turn: key, mark };
  if (selected === undefined || targetAt(selected)?.kind !== 'document') return false;
  opened.value = selected;
  return true;
}

function targetAt({ turn, mark }: Selected) {
  const found = thread.value.turns.find(({ key }) => key === turn);
  const cited = found?.answer.marks[mark];
  return found && cited && targetOf(cited, sourceOf(found.answer, cited));
}
