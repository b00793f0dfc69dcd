import { once } from '../shared/once.ts';
import { UNSPACED } from '../shared/unspaced-scripts.ts';
import type { Span } from './citation.ts';
import type { TextAnalyser } from './text-analyser.ts';
import { plainWordsOf, type Unit, unitsOf, wordsOf } from './words.ts';

/** Frequent verbs, before which a sentence has named its subject, and participles, which follow one. */
const VERB =
  /^(?:is|are|was|were|be|been|has|have|had|can|cannot|will|would|could|should|must|may|might|does|do|did|\p{L}+n['’]t|\p{Ll}{3,}ed|became|began|became|came|made|took|gave|went|goes|costs?|needs?|takes?|opens?|closes?|ends?|begins?|starts?|lasts?|contains?|includes?|ist|sind|war|waren|hat|haben|hatten?|wird|werden|wurden?|kann|können|konnten?|darf|dürfen|muss|müssen|soll|sollen|sollte|gibt|kostet|kosten|dauert|beträgt|liegt|est|sont|était|étaient|fut|furent|peut|peuvent|doit|doivent|es|son|era|eran|fue|fueron|está|están|puede|pueden|debe|deben|tiene|tienen|è|sono|ha|hanno|può|possono|deve|devono|é|são|foi|pode|podem|deve|devem|tem|kan|zijn|wordt|worden|moet|moeten|mag|mogen|heeft|hebben)$/u;
const VERB_WITHOUT_SPACES = /[是为為在有被于於はがをも]|[은는이가](?=\s)/u;

/** Pronouns among the first words of a sentence, which stand for something said before. */
export const PRONOUN =
  /^(?:it|its|he|his|him|she|her|they|their|them|er|ihn|ihm|sie|ihnen|seine[mnrs]?|ihre?[mnrs]?|diese[mnrs]?|jene[mnrs]?|il|elle|ils|elles|cette|ces|leurs?|él|ella|ellos|ellas|essi|suo|suoi|loro|ele|ela|eles|elas|hij|zij|hun)$/iu;
/** First words of a sentence that refer to something said before. */
const REFERENCE =
  /^(?:this|these|that|those|such|both|each|there|here|then|also|otherwise|instead|therefore|who|which|es|sein|dies|beide|dort|dabei|dafür|damit|davon|dazu|dann|danach|daher|deshalb|außerdem|ce|cet|cela|celui|celle|son|sa|ses|este|esta|esto|estos|estas|ese|esa|su|sus|questo|questa|questi|queste|isto|isso|seu|deze|dit)$/iu;
/** "A new one" and "the latter" refer to something as well, but "one of them" need not. */
const NOUN_REFERENCE = /^(?:ones?|latter|former)$/iu;
const REFERENCE_WITHOUT_SPACES = /^[它他她这此其該该]|^(?:これ|それ|この|その|彼)/u;

const WORDS_WITH_REFERENCE = 3;
const MAX_WORDS_BEFORE_VERB = 12;
const MAX_SUBJECT = 5;
const MAX_UNSPACED_SUBJECT = 12;
const UNSPACED_WITHOUT_VERB = 2;
/** Content words taken for the subject where no verb shows its end. */
const WITHOUT_VERB = 2;

export interface Subject {
  readonly units: readonly Unit[];
  /** Whether the sentence stands for itself only together with the one before: "It is closed." */
  readonly refersBack: boolean;
  /** Whether the verb after it was recognized. */
  readonly hasVerb: boolean;
}

const MARKUP = /^(?:[\s>|*_]|[-+•]\s|#{1,6}\s|\d{1,3}[.)]\s)+/;
/** A term with what is said about it: "Opening hours: 9 to 5", and the first cell of a row. */
const LABEL = /^([^:|\t]{2,60})(?::\s|\s*\||\t)/;
/** "In 2024, …" and "On Sundays, …" are about something else than the subject. */
const ADVERBIAL =
  /^(?:in|on|at|for|from|after|before|during|since|by|if|when|im|am|bei|nach|vor|seit|für|wenn|en|dans|à)\s[^,]{1,60},\s/iu;

/** The beginning of a clause that has a subject, even if its verb is not recognized: "the tower leans". */
const { source: NAMES_SUBJECT } =
  /(?:\p{Lu}|(?:the|an?|all|some|most|many|its|their|der|die|das|eine?|alle|les?|la|une?|el|los|las|il|gli|het|een)\s)/u;
const BEGINS_WITH_SUBJECT = new RegExp(`^${NAMES_SUBJECT}`, 'u');
export const beginsWithSubject = (clause: string): boolean => BEGINS_WITH_SUBJECT.test(clause);

/** Where a clause of a source ends and one with another subject begins. */
const { source: BORDERS } = /;\s+|,\s+(?=(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau)\.?\s\p{Lu})/u;
const { source: CONJUNCTIONS } = /,\s+(?:and|but|while|whereas|und|aber|während|et|mais|y|pero|e|ma)\s+/u;
const CLAUSES = new RegExp(`${BORDERS}|${CONJUNCTIONS}(?=${NAMES_SUBJECT})`, 'gu');
const PERSON = /^(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau)\.?\s\p{Lu}/u;

/** Splits a sentence into clauses with subjects of their own: "Ann keeps the key, and Ben opens the door." */
export function splitClauses({ start, end }: Span, text: string, analyser: TextAnalyser): Span[] {
  const sentence = text.slice(start, end);
  const clauses: Span[] = [];
  let from = 0;
  for (const { 0: border, index } of sentence.matchAll(CLAUSES)) {
    const next = index + border.length;
    const isClause = (clause: string) => subjectOf(clause, analyser).hasVerb;
    const isBorder =
      border.startsWith(';') ||
      PERSON.test(sentence.slice(next)) ||
      isClause(sentence.slice(from, index)) ||
      isClause(sentence.slice(next));
    if (!isBorder) continue;
    clauses.push({ start: start + from, end: start + index });
    from = next;
  }
  return [...clauses, { start: start + from, end }];
}

/** What a sentence is about, as far as the order of its words shows. */
export function subjectOf(sentence: string, analyser: TextAnalyser): Subject {
  const plain = sentence.replace(MARKUP, '');
  const label = LABEL.exec(plain)?.[1];
  const unitsIn = (text: string) => once(() => unitsOf(wordsOf(text, analyser)));
  if (label !== undefined) return lazySubject({ units: unitsIn(label), refersBack: () => false, hasVerb: true });
  if (UNSPACED.test(plain)) return unspacedSubject(plain, unitsIn);
  const beginning = plain.replace(ADVERBIAL, '').slice(0, MAX_SUBJECT_LENGTH);
  const words = plainWordsOf(beginning);
  const refersBack = words
    .slice(0, WORDS_WITH_REFERENCE)
    .some((word, place) => PRONOUN.test(word) || (place === 0 ? REFERENCE : NOUN_REFERENCE).test(word));
  const verb = words.slice(0, MAX_WORDS_BEFORE_VERB).findIndex((word, place) => place > 0 && VERB.test(word));
  const analysed = once(() => wordsOf(beginning, analyser));
  if (verb < 0)
    return lazySubject({
      units: once(() => unitsOf(analysed()).slice(0, WITHOUT_VERB)),
      refersBack: () => refersBack,
      hasVerb: false,
    });
  const units = once(() => unitsOf(analysed().slice(0, verb)).slice(-MAX_SUBJECT));
  return lazySubject({ units, refersBack: () => refersBack || units().length === 0, hasVerb: true });
}

const MAX_SUBJECT_LENGTH = 200;

type Units = () => readonly Unit[];

/** A subject of which the words are analysed only when they are needed. */
const lazySubject = ({
  units,
  refersBack,
  hasVerb,
}: {
  units: Units;
  refersBack: () => boolean;
  hasVerb: boolean;
}): Subject => ({
  get units() {
    return units();
  },
  get refersBack() {
    return refersBack();
  },
  hasVerb,
});

function unspacedSubject(plain: string, unitsIn: (text: string) => Units): Subject {
  const end = VERB_WITHOUT_SPACES.exec(plain.slice(0, MAX_UNSPACED_SUBJECT + 1))?.index;
  const units = unitsIn(plain.slice(0, end ?? UNSPACED_WITHOUT_VERB));
  const refersBack = REFERENCE_WITHOUT_SPACES.test(plain);
  return lazySubject({ units, refersBack: () => refersBack || units().length === 0, hasVerb: end !== undefined });
}
