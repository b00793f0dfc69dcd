import { useState } from 'preact/hooks';
import { shownName } from '../../parts/shown-name.ts';
import { unwrapped } from '../../parts/unwrapped.ts';
import { sourceAddress } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { markTerms } from './mark-terms.ts';
import type { Hit } from './search-data.ts';

/** Passages with more characters or lines are shown in part. */
const LONG = 700;
const MANY_LINES = 9;

interface HitCardProps {
  readonly hit: Hit;
  readonly rank: number;
  readonly terms: readonly string[];
}

/** A hit with its location and scores; a click opens its exact character range. */
export function HitCard({ hit, rank, terms }: HitCardProps) {
  const { document_id: id, start, end, page, heading_path: path, metadata, score, explain } = hit;
  const isLong = hit.text.length > LONG || hit.text.split('\n').length > MANY_LINES;
  const [isOpen, setOpen] = useState(false);
  const title = shownName(typeof metadata['title'] === 'string' ? metadata['title'] : id);
  const type = typeof metadata['document_type'] === 'string' ? metadata['document_type'] : undefined;
  const where = [page === null ? '' : texts.source.page(type, page), path.join(' › ')].filter((part) => part !== '');
  return (
    <li class="card hit">
      <h2>
        <span class="hit-rank" aria-hidden="true">
          {rank}
        </span>
        <Link href={sourceAddress(id, { start, end })}>{title}</Link>
        {type !== undefined && <span class="hit-type">{type}</span>}
      </h2>
      {where.length > 0 && <p class="hit-where">{where.join(' · ')}</p>}
      <p class={isLong && !isOpen ? 'hit-text hit-short' : 'hit-text'}>
        {markTerms(unwrapped(hit.text), terms).map(({ text, isMarked }, at) =>
          isMarked ? <mark key={at}>{text}</mark> : text,
        )}
      </p>
      {isLong && (
        <button type="button" class="quiet hit-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? texts.search.less : texts.search.more}
        </button>
      )}
      <p class="hit-why">
        {explain !== undefined && texts.search.legs(explain.semantic, explain.full_text)}
        {explain?.rerank !== undefined && ` ${texts.search.reranked(explain.rerank.rank_before)}`}
        {score !== null && <span class="hit-score">{texts.search.score(score)}</span>}
      </p>
    </li>
  );
}
