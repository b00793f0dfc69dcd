import { splitSentences } from '../documents/sentences.ts';

/** Phrases by which answers state that there is no answer, in common languages. Each is searched within a sentence. */
const REFUSALS: readonly RegExp[] = [
  /uncertain whether the documents answer this/i,
  /\b(?:nothing|none of|no (?:relevant |specific |such )?(?:information|answer|evidence|mention|passages?|documents?|sources?|details?|data))\b.*\b(?:found|supports?|match\w*|available|given|provided|answers?|mentions?|in the|about|regarding|on this)\b/i,
  /\b(?:do|does|did|is|are|was|were)(?: not|n['’]t)\b.*\b(?:answer|contain|mention|say|state|specify|provide|include|cover|address|discuss|describe|tell|give|enough|available|mentioned|stated|specified|provided|covered|found)\b/i,
  /\b(?:cannot|can['’]?t|could(?: not|n['’]t)|unable to|not able to)\b.*\b(?:answer|find|determine|tell|say|confirm|provide)\b/i,
  /\b(?:nichts|kein\w*)\b.*\b(?:gefunden|Antwort\w*|Angab\w*|Information\w*|Hinweis\w*|Auskunft|beantwort\w*|hervor\w*)\b/i,
  /\b(?:nicht)\b.*\b(?:beantwort\w*|genannt|erwähnt|angegeben|enthalten|hervor\w*|entnehmen|finden|gefunden)\b/i,
  /\b(?:aucune?|rien|ne|n['’])\b.*\b(?:pas|information|réponse|répond\w*|mention\w*|trouv\w*|permet\w*|indiqu\w*)\b/i,
  /\b(?:ning(?:ún|una)|nada|no|nenhuma?|não)\b.*\b(?:información|informações|informação|respuesta|resposta|respond\w*|mencion\w*|contien\w*|cont[ée]m|encuentr\w*|encontr\w*|especific\w*|indic\w*)\b/i,
  /\b(?:nessuna?|non|nulla)\b.*\b(?:informazion\w*|rispost\w*|rispond\w*|menzion\w*|contengono|contiene|trovat\w*|indica\w*)\b/i,
  /\b(?:geen|niet|niets)\b.*\b(?:informatie|antwoord\w*|vermeld\w*|genoemd|gevonden|bevat\w*)\b/i,
  /(?:没有|未能?|无法|不包含|并未|沒有|無法|不包含).*(?:回答|提到|提及|信息|資訊|答案|找到|说明|說明)/,
  /(?:回答|記載|情報|言及|見つか|含まれ).*(?:ません|ない|ありません|できません)/,
];

const MARKER = /\[\d{1,3}\]/;

/**
 * Whether an answer declines to answer: its first sentence says so without a citation, or the answer has no citation
 * and says so anywhere. An answer without citations that does not say so counts as made up, not as a refusal.
 */
export function isRefusal(answer: string): boolean {
  const sentences = splitSentences(answer).map(({ start, end }) => answer.slice(start, end));
  const refuses = (sentence: string) => !MARKER.test(sentence) && REFUSALS.some((pattern) => pattern.test(sentence));
  const [first] = sentences;
  if (first === undefined) return true;
  // The citation marker may follow the full stop.
  const isFirstCited = MARKER.test(answer.slice(0, first.length + ' [100]'.length));
  if (!isFirstCited && refuses(first)) return true;
  return !MARKER.test(answer) && sentences.some(refuses);
}
