import { useEffect, useState } from 'preact/hooks';
import { texts } from '../../../texts.ts';
import type { OriginalProps } from '../original-tab.tsx';

interface OpeningProps {
  readonly facts: OriginalProps['facts'];
  /** The loaded share of the file, from 0 to 1. */
  readonly share: number;
}

/** Files that open sooner show no text first, which would only flash up. */
const PATIENCE_MS = 1_500;

/** What is shown until a PDF can be drawn: the progress and, if that takes a while, the quote within its text. */
export function Opening({ facts, share }: OpeningProps) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  const percent = Math.floor(share * 100);
  return (
    <div class="pdf-opening">
      <p class="notice">{percent === 0 ? texts.loading : texts.source.opening(percent)}</p>
      {isSlow && facts !== undefined && (
        <>
          <p role="status">{texts.source.meanwhile}</p>
          <p class="source-block">
            {facts.before}
            <mark class="active">{facts.words}</mark>
            {facts.after}
          </p>
        </>
      )}
    </div>
  );
}
