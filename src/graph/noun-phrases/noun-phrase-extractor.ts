import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { ExtractedGraph, GraphChunk, GraphExtractor } from '../graph.ts';
import { buildGraph } from './build-graph.ts';
import { readCaseEvidence } from './document-evidence.ts';
import { type EnglishTagger, loadEnglishTagger } from './english-tagger.ts';
import { isUnspaced } from './find-unspaced.ts';
import { gatherSubjects } from './gather-subjects.ts';
import { type Gazetteer, loadGazetteer } from './gazetteer.ts';
import { type GraphLanguage, guessLanguage } from './language.ts';
import type { Subject } from './mention-candidate.ts';
import { relate } from './relate.ts';
import { readSentences, type Sentence } from './sentence.ts';
import { commonNouns } from './word-lists.ts';

/** Maximum time in milliseconds before yielding to other work. */
const MAX_TURN_LENGTH = 15;

/**
 * Extracts without a model: names and terms by their spelling, relationships by the words between them and by
 * co-occurrence. English is parsed with a part-of-speech tagger, German, French and Spanish with patterns, other
 * languages by capitals or by the platform's dictionary. Deterministic.
 */
export function createNounPhraseExtractor(): GraphExtractor {
  let tagger: Promise<EnglishTagger> | undefined;
  let gazetteer: Gazetteer | undefined;
  return {
    name: 'builtin/noun-phrases-v1',
    async extract({ title, chunks }, signal): Promise<ExtractedGraph> {
      const sample = sampleOf(chunks);
      const language = guessLanguage(sample);
      if (language === 'en') tagger ??= loadEnglishTagger();
      gazetteer ??= loadGazetteer();
      const loaded = language === 'en' ? await tagger : undefined;
      const sentences: Sentence[] = [];
      let turnStarted = performance.now();
      for (const [place, { text }] of chunks.entries()) {
        throwIfCancelled(signal);
        sentences.push(...readSentences(text, place, language, loaded));
        if (performance.now() - turnStarted < MAX_TURN_LENGTH) continue;
        await nextTurn();
        turnStarted = performance.now();
      }
      throwIfCancelled(signal);
      const gathered = gatherSubjects(sentences, {
        language,
        gazetteer,
        isUnspaced: isUnspaced(sample),
        evidence: readCaseEvidence(sentences),
        textOf: (place) => chunks[place]?.text ?? '',
      });
      await nextTurn();
      throwIfCancelled(signal);
      const headings = headingsOf(title, chunks);
      const isSolid = (subject: Subject): boolean => isSignificant(subject, headings, language);
      const statements = relate(sentences, gathered, { language, gazetteer, isSignificantAlone: isSolid });
      return buildGraph({ chunks, sentences, gathered, statements, isSignificantAlone: isSolid });
    },
  };
}

const MAX_HEADINGS = 20_000;
const headingsOf = (title: string, chunks: readonly GraphChunk[]): string =>
  [title, ...new Set(chunks.flatMap(({ headingPath }) => headingPath))]
    .join(' | ')
    .slice(0, MAX_HEADINGS)
    .toLowerCase();

const SAMPLES = 12;
/** A sample from chunks across the document: the first ones may be a cover in another language. */
function sampleOf(chunks: readonly { readonly text: string }[]): string {
  const step = Math.max(1, Math.floor(chunks.length / SAMPLES));
  return chunks
    .filter((_, place) => place % step === 0)
    .slice(0, SAMPLES)
    .map(({ text }) => text.slice(0, 500))
    .join('\n');
}

function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ServiceError('cancelled', 'The extraction of the graph was cancelled.', { cause: signal.reason });
}

/** Number of mentions from which a one-word term is significant; fewer for longer terms and German compounds. */
const MIN_MENTIONS_OF_WORD = 4;
const MIN_MENTIONS_OF_PHRASE = 2;
/** The same for scripts without spaces, whose dictionary does not distinguish nouns from verbs. */
const MIN_MENTIONS_UNSPACED = 3;

const IDEOGRAPHIC = /^\P{Script=Latin}/u;

/** Whether a document mentions something often enough to be significant without a defining sentence. */
function isSignificant({ kind, key, mentions }: Subject, headings: string, language: GraphLanguage): boolean {
  if (kind === 'name') return mentions.some(({ isWeak }) => !isWeak);
  if (kind === 'date') return false;
  const isCommon = !key.includes(' ') && commonNouns.has(key);
  if (isCommon) return false;
  const isLong = key.includes(' ') || language === 'de';
  if (IDEOGRAPHIC.test(key)) return mentions.length >= MIN_MENTIONS_UNSPACED;
  return (
    mentions.length >= (isLong ? MIN_MENTIONS_OF_PHRASE : MIN_MENTIONS_OF_WORD) ||
    (key.includes(' ') && headings.includes(key))
  );
}
