import { createStatementCheck, toComparableText } from '../src/citations/check-citation.ts';
import { createContradictionCheck } from '../src/citations/contradiction.ts';
import { containsNegation, isNegation } from '../src/citations/negation.ts';
import { splitSentences } from '../src/documents/sentences.ts';
import { openTestCollection } from '../src/evaluation/test-collection.ts';
import { analyse, analyseQuery } from '../src/store/full-text/analyse.ts';
import { halfOf } from './evaluate-quotes/quote-questions.ts';

const USAGE = `Measures how checks of statements tell what a document says from what it does not, without a model.

  npm exec -- node scripts/evaluate-statements.ts [--half tune|held] [--show KIND] FOLDER...

Each folder holds corpus.jsonl, queries.jsonl and qrels.tsv. Every sentence of 8 to 45 words becomes statements about its own
document. True as far as their words tell: "reworded" (without every fifth word, and with its halves exchanged), "resolved" (the
subject of the sentence before in place of a pronoun), "joined" (two sentences without every fifth word, with "and" between). False: "negated"
("not" after the first auxiliary verb, in Chinese before it), "recounted" (another number up to ten), "mixed" (the subject of another sentence with
another subject), "renumbered" (a number of another sentence). Documents are split in halves by a hash of their identifier;
"held" is the default. --show prints the statements of a kind that are judged wrongly.`;

const analyser = { analyse, analyseQuery };
const AUXILIARY =
  /(?<!\p{L})(?:is|are|was|were|has|have|had|can|will|could|would|should|must|may|ist|sind|war|waren|hat|haben|wurde|wurden|kann|können)(?!\p{L})/u;
const AUXILIARY_OF_DENSE = /[是有会能在]|可以/u;
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

/** The words of a sentence without every fifth, unless that negates, and without full stops. */
const shortened = (words: readonly string[]): string[] =>
  words
    .filter(
      (word, place) =>
        place % 5 !== 4 || isNegation(bare(word), bare(words[place + 1])) || (isDense(word) && containsNegation(word)),
    )
    .map((word) => word.replaceAll('.', ''));

/** The shortened sentence with its halves exchanged. */
function reworded(words: readonly string[], text: string): string {
  const kept = shortened(words);
  const middle = kept.length >> 1;
  const halves = [kept.slice(middle), kept.slice(0, middle)];
  // Without a comma, the ends of both halves would be one word.
  return isDense(text) ? halves.map((half) => half.join('')).join('，') : halves.flat().join(' ');
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
const wordsOfDense = (text: string): string[] =>
  Array.from(segmenter.segment(text.replace(/。$/u, '')), ({ segment }) => segment);

const SUBJECT_END =
  /(?<!\p{L})(?:is|are|was|were|has|have|had|can|will|could|would|should|must|may|ist|sind|war|waren|hat|haben|hatte|hatten|wird|werden|wurde|wurden|kann|können)(?!\p{L})|[是为在有被于]/u;
const PRONOUN =
  /^(?:it|he|she|they|this|these|that|those|there|we|you|i|its|his|her|their|er|sie|es|dies\p{L}*|man|wir|seine?|ihre?|它|他|她|这|此|其)(?!\p{L})/iu;
/** Beginnings of sentences that are not their subjects: "Here is", "If you must". */
const NO_SUBJECT =
  /^(?:here|how|what|why|if|while|when|since|as|so|but|and|or|for|in|on|at|by|of|with|from|to|after|before|consider|zum|zur|in|im|am|an|auf|aus|bei|für|vor|von|mit|nach|seit|so|wenn|während|obwohl|da|dass|um)(?!\p{L})|^[由因还名特对当而但总即在]/iu;
const DIGITS = /(?<![\p{L}\p{N}.,-])\d+(?:[.,]\d+)?(?![\p{L}\p{N}.,-]*[\p{L}\p{N}])/gu;
const MAX_SUBJECT_WORDS = 8;
const isDense = (text: string) => /\p{sc=Han}/u.test(text);

interface Parts {
  readonly text: string;
  readonly subject: string;
  readonly predicate: string;
  readonly subjectTerms: ReadonlySet<string>;
}

/** The subject and the rest of a sentence, as far as its first auxiliary verb shows where the subject ends. */
function partsOf(text: string): Parts {
  const at = SUBJECT_END.exec(text)?.index ?? 0;
  const subject = text.slice(0, at).trim();
  const isShort = isDense(text)
    ? subject.length <= 2 * MAX_SUBJECT_WORDS
    : subject.split(/\s+/).length <= MAX_SUBJECT_WORDS;
  const isPlain = isShort && !/[,;:，、"“(（|#*]/.test(subject);
  const terms = isPlain ? analyseQuery(subject) : [];
  return { text, subject: isPlain ? subject : '', predicate: text.slice(at), subjectTerms: new Set(terms) };
}

const hasSubject = ({ subject, subjectTerms }: Parts) =>
  subject !== '' && subjectTerms.size > 0 && !PRONOUN.test(subject) && !NO_SUBJECT.test(subject);

function* statementsOf(text: string): Generator<readonly [kind: Kind, statement: string]> {
  const sentences = splitSentences(text)
    .map(({ start, end }) => text.slice(start, end))
    .map((sentence) => ({
      ...partsOf(sentence),
      words: isDense(sentence) ? wordsOfDense(sentence) : sentence.split(/\s+/),
    }));
  const isLong = ({ text: sentence, words }: (typeof sentences)[number]) =>
    isDense(sentence) ? sentence.length >= 12 && sentence.length <= 90 : words.length >= 8 && words.length <= 45;
  for (const [place, each] of sentences.entries()) {
    const { text: sentence, words, predicate, subjectTerms } = each;
    if (!isLong(each)) continue;
    yield ['reworded', reworded(words, sentence)];
    if (isDense(sentence)) {
      if (AUXILIARY_OF_DENSE.test(sentence) && !containsNegation(sentence))
        yield ['negated', sentence.replace(AUXILIARY_OF_DENSE, (verb) => (verb === '有' ? '没有' : `不${verb}`))];
    } else {
      const [verb] = AUXILIARY.exec(sentence) ?? [];
      const not = /^(?:ist|sind|war|waren|hat|haben|wurde|wurden|kann|können)$/.test(verb ?? '') ? 'nicht' : 'not';
      if (verb !== undefined && !isNegative(words)) yield ['negated', sentence.replace(AUXILIARY, `${verb} ${not}`)];
      const [number] = NUMBER.exec(sentence) ?? [];
      if (number !== undefined)
        yield ['recounted', sentence.replace(NUMBER, number.toLowerCase() === 'six' ? 'four' : 'six')];
      const other = sentences.slice(place + 2).find(isLong);
      if (other !== undefined && !/["“”„]/.test(sentence + other.text))
        yield ['joined', `${shortened(words).join(' ')}, and ${shortened(other.words).join(' ')}`];
    }
    const before = sentences[place - 1];
    if (
      /^(?:it|he|she|they|er|sie|es|它|他|她)(?!\p{L})/iu.test(each.subject) &&
      before !== undefined &&
      hasSubject(before)
    )
      yield ['resolved', `${before.subject} ${predicate}`];
    const others = [...sentences.slice(0, place).reverse(), ...sentences.slice(place + 1)];
    if (hasSubject(each)) {
      const own = new Set(analyse(sentence));
      const from = others.find((other) => hasSubject(other) && other.subjectTerms.isDisjointFrom(own) && isLong(other));
      if (from !== undefined && subjectTerms.size > 0) yield ['mixed', `${from.subject} ${predicate}`];
    }
    const [number] = sentence.match(DIGITS) ?? [];
    const figure = others
      .flatMap((other) => other.text.match(DIGITS) ?? [])
      .find((it) => it.length === number?.length && it !== number);
    if (number !== undefined && figure !== undefined && !sentence.includes(figure))
      yield ['renumbered', sentence.replace(number, figure)];
  }
}

type Kind = (typeof kinds)[number];
const kinds = ['reworded', 'resolved', 'joined', 'negated', 'recounted', 'mixed', 'renumbered'] as const;
const isTrue = (kind: Kind) => ['reworded', 'resolved', 'joined'].includes(kind);

async function measure(folder: string, { half, shown }: { half: string; shown: string | undefined }): Promise<void> {
  const counts = new Map(kinds.map((kind) => [kind, noCounts()]));
  const collection = await openTestCollection(folder);
  for await (const { id, title, text } of collection.documents()) {
    if (halfOf(id) !== half) continue;
    const comparable = toComparableText(text, analyser);
    for (const [kind, statement] of statementsOf(text)) {
      const found = counts.get(kind) ?? noCounts();
      found.of++;
      const isRefused = createStatementCheck(statement, analyser)(comparable).verdict === 'not_found';
      if (isRefused) found.refused++;
      if (kind === shown && isRefused === isTrue(kind)) console.log(`${id} ${title}\t${statement}`);
      if (createContradictionCheck(statement, analyser)(comparable.sentences().whole())) found.contradicted++;
    }
  }
  for (const [kind, { of, refused, contradicted }] of counts) {
    const share = (count: number) => (of === 0 ? '-' : (count / of).toFixed(3));
    console.log(
      `${folder}  ${kind.padEnd(10)} ${of} statements, not supported ${share(refused)}, said otherwise ${share(contradicted)}`,
    );
  }
}

const given = process.argv.slice(2);
const half = given[0] === '--half' ? (given.splice(0, 2)[1] ?? '') : 'held';
const shown = given[0] === '--show' ? given.splice(0, 2)[1] : undefined;
if (given.length === 0 || given[0] === '--help' || !['tune', 'held'].includes(half)) console.log(USAGE);
else for (const folder of given) await measure(folder, { half, shown });
