import { createNounPhraseExtractor } from '../../src/graph/noun-phrases/noun-phrase-extractor.ts';
import type { PseudoText } from './pseudo-text.ts';

/** Time of the built-in graph extractor per chunk, alone: one thread, no store. */
export interface GraphFigures {
  readonly chunks: number;
  /** CPU time per chunk, so that other load does not count. */
  readonly milliseconds: number;
  readonly entities: number;
  readonly relationships: number;
}

const WARM_UP = 5;

/** Extracts the graph of generated documents in which every eighth word is a name. */
export async function measureGraph(text: PseudoText, documents: number): Promise<GraphFigures> {
  const extractor = createNounPhraseExtractor();
  const never = new AbortController().signal;
  const extract = (number: number) => {
    const { title, paragraphs } = text.document(number);
    const chunks = paragraphs.map((paragraph, order) => ({
      chunkId: `${number}-${order}`,
      text: withNames(paragraph),
      headingPath: [],
    }));
    return extractor.extract({ title, chunks }, never);
  };
  for (let number = 0; number < WARM_UP; number++) await extract(number);
  const counts = { chunks: 0, entities: 0, relationships: 0 };
  const begun = process.cpuUsage();
  for (let number = WARM_UP; number < WARM_UP + documents; number++) {
    const { entities, relationships } = await extract(number);
    counts.chunks += text.document(number).paragraphs.length;
    counts.entities += entities.length;
    counts.relationships += relationships.length;
  }
  const { user, system } = process.cpuUsage(begun);
  const { chunks } = counts;
  return {
    chunks,
    milliseconds: (user + system) / 1000 / chunks,
    entities: counts.entities / chunks,
    relationships: counts.relationships / chunks,
  };
}

const EVERY = 8;

export const withNames = (paragraph: string): string =>
  paragraph
    .split(' ')
    .map((word, index) =>
      index % EVERY === 3 && word.length > 3 ? word.charAt(0).toUpperCase() + word.slice(1) : word,
    )
    .join(' ');
