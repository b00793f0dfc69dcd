import { splitSentences } from '../../documents/sentences.ts';

const INSTRUCTION =
  /^(?:please\s+)?(?:you (?:must|should|have to|need to)|please|make sure|be sure|use|answer|reply|respond|cite|quote|keep|do not|don't|be (?:brief|concise|precise)|bitte|antworte|nenne|réponds|répondez|responde|rispondi)(?![\p{L}\p{N}])/iu;
const SOURCE_NAMED =
  /^(?:according to|based on|from|in)\s+(?:the|this|these|my|your|our)\s+(?:uploaded\s+)?(?:documents?|files?|texts?|passages?|sources?|context)\s*,\s*/iu;

/**
 * The question without what is said about the answer: instructions beside it, and that the documents are meant. Their
 * words are in no source, so that nothing would seem to answer.
 */
export function askingPart(question: string): string {
  const sentences = splitSentences(question).map(({ start, end }) => question.slice(start, end));
  const asking = sentences.filter((sentence) => !INSTRUCTION.test(sentence));
  // "You must wear a helmet. Why?" says in its first sentence what it asks about.
  const isWhole = asking.some((sentence) => /[?？]["'”’)]*$/u.test(sentence) && /\S\s+\S+\s+\S/u.test(sentence));
  const kept = isWhole ? asking : sentences;
  return kept.map((sentence) => sentence.replace(SOURCE_NAMED, '')).join(' ');
}
