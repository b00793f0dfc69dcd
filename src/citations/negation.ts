/** Words of negation, as far as they are words of their own, in the languages of the question words. */
const { source: NEGATIONS } =
  /no|not|never|none|neither|nor|without|cannot|\p{L}+n['’]t|nicht|kein(?:e[mnrs]?)?|nie|niemals|ohne|ne|pas|jamais|sans|aucune?|nunca|sin|ning[uú]n[ao]?|non|mai|senza|nessun[ao]?|não|sem|nenhuma?|niet|geen|nooit|zonder|не|нет|без|никогда|δεν|μην|χωρίς|nu|fără|niciodată|değil|yok|không|chưa|لا|لم|ليس|नहीं/u;
/** Without "mai", which is a month in French and German; Italian has "non" beside it. */
const NEGATION = new RegExp(`^(?!mai$)(?:${NEGATIONS})$`, 'iu');
const { source: WITHOUT_SPACES } = /[不没沒無无未非勿]|ない|ません|なかった|않|없|ไม่/u;
const ANY_NEGATION = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${NEGATIONS})(?![\p{L}\p{N}])|${WITHOUT_SPACES}`, 'iu');
/** "Not only", "not until", "no more than", "No. 5" and "nicht nur" negate nothing. */
const FOLLOWS_NONE = /^(?:only|just|merely|until|before|more|less|fewer|later|earlier|nur|erst|solo|seulement|\d.*)$/iu;

/** Whether a word negates, given the word after it. */
export const isNegation = (word: string, next: string): boolean => NEGATION.test(word) && !FOLLOWS_NONE.test(next);

/** Whether a text contains a negation, also in scripts without spaces. */
export const containsNegation = (text: string): boolean => ANY_NEGATION.test(text);

const ANY_WITHOUT_SPACES = new RegExp(WITHOUT_SPACES, 'u');
/** "Not only", "different", "very" and other words that negate nothing, and "must" in Japanese. */
const NONE_WITHOUT_SPACES =
  /不得不|不[同仅僅但过過久断斷少论論管]|[无無][论論]|非[常洲]|未[来來]|少ない|だけで(?:は)?な[くい]|な(?:ければ|くては)なり?ま?せ?ん?/gu;

/** Whether a clause of a script without spaces negates. */
export const isNegativeUnspaced = (clause: string): boolean =>
  ANY_WITHOUT_SPACES.test(clause.replace(NONE_WITHOUT_SPACES, ''));

/** A word of such a script without its negation. */
export const withoutNegation = (word: string): string => word.replace(/^(?:没有|沒有|[不没沒無无未非勿])(?=.)/u, '');

/** Words of exceptions, by which texts say the same with a negation and without. */
const EXCEPTION =
  /^(?:unless|except|excepting|excluding|otherwise|although|however|but|außer|ausgenommen|sondern|jedoch|aber|sauf|mais|excepté|salvo|excepto|pero|tranne|eccetto|behalve|maar)$/iu;
const RESTRICTION = /^(?:only|nur|seulement|solo|solamente|soltanto|alleen)$/iu;

export const isException = (word: string): boolean => EXCEPTION.test(word);

/** Whether a word restricts what is said: "dogs are allowed only in the garden". */
export const isRestriction = (word: string): boolean => RESTRICTION.test(word);

/** Whether the words directly before a position of a text negate what follows: "No food is allowed" for "Food is allowed". */
export function isNegatedBefore(text: string, position: number): boolean {
  const before = text.slice(Math.max(0, position - NEAR_CHARACTERS), position);
  const word = LAST_WORD.exec(before)?.[1];
  return (word !== undefined && isNegation(word, '')) || NONE_OF.test(before);
}

/** Whether the word directly after a position negates what stands before it, as in "Das Café öffnet sonntags nicht". */
export const isNegatedAfter = (text: string, position: number): boolean =>
  NOT_AFTER.test(text.slice(position, position + NEAR_CHARACTERS));

const NEAR_CHARACTERS = 40;
const LAST_WORD = /(?<![\p{L}\p{N}])(\p{L}[\p{L}'’]*)\s+$/u;
const NONE_OF =
  /(?<!\p{L})(?:none|neither|not one|no one|keine[rs]?|aucune?|ning[uú]n[ao]?|nessun[ao]?)\s(?:of|von|der|des|de|di)(?:\s(?:the|den|los|las))?\s$/iu;
const NOT_AFTER = /^\s+(?:nicht|niet)(?!\p{L})(?!\s+(?:nur|alleen|vor|erst|mehr als)(?!\p{L}))/iu;
