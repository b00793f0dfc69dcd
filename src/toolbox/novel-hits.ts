import type { FoundCommunity, GraphHit } from '../documents/graph-hit.ts';
import { splitSentences } from '../documents/sentences.ts';

/**
 * Graph hits with information that neither the shown texts nor earlier hits contain. Communities are reduced to their
 * new sentences. Hits from documents without a known evidence sentence cannot be cited and are left out.
 */
export function novelHits(hits: readonly GraphHit[], shownTexts: readonly string[]): GraphHit[] {
  const shown = shownTexts.map(normalized);
  const isNew = (text: string) => text !== '' && !shown.some((each) => each.includes(text));
  const adding: GraphHit[] = [];
  for (const hit of hits) {
    if (hit.documents.length > 0 && hit.sentence === undefined) continue;
    const left =
      hit.found.kind === 'community' ? withoutKnownSentences(hit.found, isNew) : newDescription(hit.found, isNew);
    if (left === undefined) continue;
    shown.push(normalized(left.kind === 'community' ? [left.summary, ...left.findings].join(' ') : left.description));
    adding.push({ ...hit, found: left });
  }
  return adding;
}

type Described = Exclude<GraphHit['found'], FoundCommunity>;
type IsNew = (text: string) => boolean;

const newDescription = (found: Described, isNew: IsNew): Described | undefined =>
  isNew(normalized(found.description)) ? found : undefined;

function withoutKnownSentences(found: FoundCommunity, isNew: IsNew): FoundCommunity | undefined {
  const summary = splitSentences(found.summary)
    .map(({ start, end }) => found.summary.slice(start, end))
    // A bare list of names carries no information.
    .filter((sentence) => !sentence.startsWith('Also: ') && isNew(normalized(sentence)))
    .join(' ');
  // A finding is a short fact, usually followed by a colon and the sentence that states it.
  const findings = found.findings.filter((finding) => {
    const sentence = normalized(finding.replace(/^[^:]*: /, ''));
    return isNew(sentence) && !normalized(summary).includes(sentence);
  });
  return summary === '' && findings.length === 0 ? undefined : { ...found, summary, findings };
}

/** Normalized for comparison: white space, letter case and a trailing ellipsis are ignored. */
const normalized = (text: string): string => text.replaceAll(/\s+/g, ' ').replace(/…$/, '').trim().toLowerCase();
