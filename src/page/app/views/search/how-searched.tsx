import { texts } from '../../texts.ts';
import type { Explanation } from './search-data.ts';

interface HowSearchedProps {
  readonly explanation: Explanation;
  /** Which passages are shown. */
  readonly shown: string;
}

/** Explains how the search was carried out; details are collapsed. */
export function HowSearched({ explanation, shown }: HowSearchedProps) {
  const { kind, embedder, semantic_hits: semantic, full_text_hits: fullText, reranker } = explanation;
  const total = Object.values(explanation.milliseconds).reduce((sum, each) => sum + each, 0);
  const corrections = explanation.corrections.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return (
    <details class="how-searched">
      <summary>
        {shown} · {texts.search.kinds[kind]} · {texts.search.milliseconds(total)}
      </summary>
      <dl>
        <dt>{texts.search.byMeaning}</dt>
        <dd>{texts.search.legFound(semantic, embedder)}</dd>
        <dt>{texts.search.byWords}</dt>
        <dd>{texts.search.wordsFound(fullText, explanation.terms)}</dd>
        {reranker !== null && (
          <>
            <dt>{texts.search.reranker}</dt>
            <dd>{reranker}</dd>
          </>
        )}
        {corrections.length > 0 && (
          <>
            <dt>{texts.search.corrections}</dt>
            <dd>{corrections.join(', ')}</dd>
          </>
        )}
        <dt>{texts.search.time}</dt>
        <dd>
          {Object.entries(explanation.milliseconds)
            .filter(([, each]) => each >= 0.05)
            .map(([name, each]) => `${name.replaceAll('_', ' ')} ${each.toFixed(1)} ms`)
            .join(', ')}
        </dd>
      </dl>
    </details>
  );
}
