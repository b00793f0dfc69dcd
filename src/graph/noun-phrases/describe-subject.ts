import type { GraphChunk } from '../graph.ts';
import type { Subject } from './mention-candidate.ts';
import type { Sentence } from './sentence.ts';

const MAX_DESCRIPTION = 400;
/** For a frequently mentioned subject only the first mentions are scored, since it is introduced early. */
const MAX_MENTIONS_SCORED = 40;

/** The sentence, quoted verbatim, that introduces a subject best. */
export function describeSubject(
  { mentions, key }: Subject,
  sentences: readonly Sentence[],
  chunks: readonly GraphChunk[],
): string {
  let best: { readonly text: string; readonly score: number } | undefined;
  for (const [rank, { sentence: place, start, end, form }] of mentions.slice(0, MAX_MENTIONS_SCORED).entries()) {
    const sentence = sentences[place];
    if (sentence === undefined) continue;
    const text = toDescription(chunks[sentence.chunkIndex]?.text.slice(sentence.start, sentence.end) ?? '');
    const behind = chunks[sentence.chunkIndex]?.text.slice(end, Math.min(end + 24, sentence.end)) ?? '';
    const isEarly = start - sentence.start <= 12;
    const isDefinition = DEFINING.test(behind);
    const score =
      (sentence.style === 'prose' ? 3 : 0) +
      (isEarly ? 2 : 0) +
      (isDefinition ? 2 : 0) +
      (isDefinition && isEarly ? 2 : 0) +
      (form === key ? 1 : 0) +
      (text.length >= 40 && text.length <= 300 ? 1 : 0) -
      rank / 10;
    if (best === undefined || score > best.score) best = { text, score };
  }
  return best?.text ?? '';
}

const DEFINING =
  /^\s*(?:\([^()]{1,20}\)?\s*)?(?:,\s(?:an?|the|der|die|das|le|la|el)\s|(?:is|was|are|were|ist|war|est|était|es|fue|è|é)\s|は|是|为|—|–)/u;

/** On one line, without markers of headings and lists, truncated to the maximum length of a description. */
export function toDescription(text: string): string {
  const line = text
    .replace(/^[#>\s|*-]+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= MAX_DESCRIPTION) return line;
  const cut = line.slice(0, MAX_DESCRIPTION - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), MAX_DESCRIPTION / 2)).toWellFormed()}…`;
}
