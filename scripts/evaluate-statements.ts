import { createStatementCheck, toComparableText } from '../src/citations/check-citation.ts';
import { createContradictionCheck } from '../src/citations/contradiction.ts';
import { isNegation } from '../src/citations/negation.ts';
import { splitSentences } from '../src/documents/sentences.ts';
import { openTestCollection } from '../src/evaluation/test-collection.ts';
import { analyse, analyseQuery } from '../src/store/full-text/analyse.ts';
import { halfOf } from './evaluate-quotes/quote-questions.ts';

const USAGE = `Measures how checks of statements tell sentences from their opposites, without a model.

  npm exec -- node scripts/evaluate-statements.ts [--half tune|held] FOLDER...

Each folder holds corpus.jsonl, queries.jsonl and qrels.tsv. Every sentence of 8 to 45 words becomes statements about its own
document: one without every fifth word and with its halves exchanged, which says the same as far as its words tell; one with "not"
after its first auxiliary verb; and one with another number. Documents are split in halves by a hash of their identifier;
"held" is the default.`;

const analyser = { analyse, analyseQuery };
const AUXILIARY =
  /(?<!\p{L})(?:is|are|was|were|has|have|had|can|will|could|would|should|must|may|ist|sind|war|waren|hat|haben|wurde|wurden|kann|können)(?!\p{L})/u;
const NUMBER = /(?<!\p{L})(?:two|three|four|five|six|seven|eight|nine|ten)(?!\p{L})/iu;

interface Counts {
  of: number;
  /** Statements that are not supported. */
  refused: number;
  /** Of these, the ones whose document says otherwise. */
  contradicted: number;
}

const noCounts = (): Counts => ({ of: 0, refused: 0, contradicted: 0 });

const bare = (word: string | undefined): string => (word ?? '').replaceAll(/[^\p{L}\p{N}'’]/gu, '');

const isNegative = (words: readonly string[]): boolean =>
  words.some((word, place) => isNegation(bare(word), bare(words[place + 1])));

/** The sentence without every fifth word, unless that negates, and with its halves exchanged. */
function reworded(words: readonly string[]): string {
  const kept = words.filter((word, place) => place % 5 !== 4 || isNegation(bare(word), bare(words[place + 1])));
  const middle = kept.length >> 1;
  return [...kept.slice(middle), ...kept.slice(0, middle)].join(' ').replaceAll('.', '');
}

async function measure(folder: string, half: string): Promise<void> {
  const counts = { reworded: noCounts(), negated: noCounts(), recounted: noCounts() };
  const collection = await openTestCollection(folder);
  for await (const { id, text } of collection.documents()) {
    if (halfOf(id) !== half) continue;
    const comparable = toComparableText(text, analyser);
    const check = (kind: keyof typeof counts, statement: string) => {
      const found = counts[kind];
      found.of++;
      if (createStatementCheck(statement, analyser)(comparable).verdict === 'not_found') found.refused++;
      if (createContradictionCheck(statement, analyser)(comparable.sentences())) found.contradicted++;
    };
    for (const { start, end } of splitSentences(text)) {
      const sentence = text.slice(start, end);
      const words = sentence.split(/\s+/);
      if (words.length < 8 || words.length > 45) continue;
      check('reworded', reworded(words));
      const [verb] = AUXILIARY.exec(sentence) ?? [];
      const not = /^(?:ist|sind|war|waren|hat|haben|wurde|wurden|kann|können)$/.test(verb ?? '') ? 'nicht' : 'not';
      if (verb !== undefined && !isNegative(words)) check('negated', sentence.replace(AUXILIARY, `${verb} ${not}`));
      const [number] = NUMBER.exec(sentence) ?? [];
      if (number !== undefined)
        check('recounted', sentence.replace(NUMBER, number.toLowerCase() === 'six' ? 'four' : 'six'));
    }
  }
  for (const [kind, { of, refused, contradicted }] of Object.entries(counts)) {
    const share = (count: number) => (of === 0 ? '-' : (count / of).toFixed(3));
    console.log(
      `${folder}  ${kind.padEnd(10)} ${of} statements, not supported ${share(refused)}, said otherwise ${share(contradicted)}`,
    );
  }
}

const given = process.argv.slice(2);
const half = given[0] === '--half' ? (given.splice(0, 2)[1] ?? '') : 'held';
if (given.length === 0 || given[0] === '--help' || !['tune', 'held'].includes(half)) console.log(USAGE);
else for (const folder of given) await measure(folder, half);
