import { splitSentences } from '../../documents/sentences.ts';

const INSTRUCTION =
  /^(?:please\s+)?(?:you (?:must|should|have to|need to)|please|make sure|be sure|use|answer|reply|respond|cite|quote|keep|do not|don't|be (?:brief|concise|precise)|bitte|antworte|nenne|réponds|répondez|responde|rispondi)(?![\p{L}\p{N}])/iu;
const SOURCE_NAMED =
  /^(?:according to|based on|from|in)\s+(?:the|this|these|my|your|our)\s+(?:uploaded\s+)?(?:documents?|files?|texts?|passages?|sources?|context)\s*,\s*/iu;

/**
 * The question without instructions and without phrases such as "according to the documents,". Their words occur in no
 * source, so with them, nothing would seem to answer the question.
 */
export function questionPart(question: string): string {
  const sentences = splitSentences(question).map(({ start, end }) => question.slice(start, end));
  const questions = sentences.filter((sentence) => !INSTRUCTION.test(sentence));
  // In "You must wear a helmet. Why?", the seeming instruction is what the question is about.
  const isWhole = questions.some((sentence) => /[?？]["'”’)]*$/u.test(sentence) && /\S\s+\S+\s+\S/u.test(sentence));
  const kept = isWhole ? questions : sentences;
  return kept.map((sentence) => sentence.replace(SOURCE_NAMED, '')).join(' ');
}
