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

/** Words of exceptions, by which texts say the same with a negation and without. */
const EXCEPTION =
  /^(?:only|unless|except|excluding|otherwise|although|however|but|nur|außer|sondern|jedoch|aber|seulement|sauf|mais|salvo|excepto|pero|tranne|solo|solamente)$/iu;

export const isException = (word: string): boolean => EXCEPTION.test(word);
