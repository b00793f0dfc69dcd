import { createNounPhraseExtractor } from '../src/graph/noun-phrases/noun-phrase-extractor.ts';
import {
  type Counts,
  type LabelledChunk,
  labelledChunks,
  precision,
  recall,
  scoreExtraction,
} from '../test/graph/score-extraction.ts';

/**
 * Precision and recall of the built-in graph extractor on labelled chunks.
 *
 *   node scripts/score-graph.ts [--each]
 *
 * The rules were developed on the open chunks; the held-out ones indicate the quality on other texts. `--each` lists
 * only the errors of the open ones, so that the others remain unseen.
 */
const extractor = createNounPhraseExtractor();
const chunks = labelledChunks();
const parts: readonly (readonly [string, (chunk: LabelledChunk) => boolean])[] = [
  ['open, English', ({ heldOut, language }) => !heldOut && language === 'en'],
  ['open, others', ({ heldOut, language }) => !heldOut && language !== 'en'],
  ['held out, English', ({ heldOut, language }) => heldOut && language === 'en'],
  ['held out, others', ({ heldOut, language }) => heldOut && language !== 'en'],
  ['held out', ({ heldOut }) => heldOut],
];
for (const [name, isPart] of parts) {
  const part = chunks.filter(isPart);
  const { entities, categories, relations, faults } = await scoreExtraction(extractor, part);
  console.log(`${name}, ${part.length} chunks`);
  console.log(`  entities    ${figures(entities)}`);
  console.log(`  categories  ${figures(categories)}`);
  console.log(`  relations   ${figures(relations)}`);
  if (process.argv.includes('--each') && name.startsWith('open'))
    for (const fault of faults) console.log(`    ${fault}`);
}

function figures(counts: Counts): string {
  const { right, found, wanted } = counts;
  return `precision ${precision(counts).toFixed(3)}  recall ${recall(counts).toFixed(3)}  (${right} right of ${found} found, ${wanted} wanted)`;
}
