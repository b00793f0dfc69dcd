import { expectedAnswer } from './expected-answer.ts';

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

const VIETNAMESE = wordSet(
  `ai bao bởi các cái cho có của cùng cuộc cách từ đã đang để đến được gì hay hoặc khi không là làm lại loại mà một năm
  nào những nhiêu như nơi ở ra rằng sao sẽ tại tên theo thì trong trên vào và vì về với đâu điều đó này nó họ bị việc
  người`,
);

/**
 * Question words and function words per language, which need not occur in the answer. English comes first and so wins
 * ties; its other function words are the analyser's stop words.
 */
const FUNCTION_WORDS: readonly ReadonlySet<string>[] = [
  `a an and are at by describe did do does explain for give had has have how in is list many much of on or please tell
  the to was were what when where which who whom whose why will with`,
  `als am an auf aus bei das dem den der des die durch ein eine einem einen einer eines es für gab gibt hat hatte hatten
  haben ihr ihre im in ist kann können konnte mit nach nicht oder seine seinem seinen seiner sein sich sind sowie um und
  über viel viele vom von war waren wann warum was welche welchem welchen welcher welches wem wen wer werden weshalb
  wessen wie wieso wird wo woher wohin wurde wurden zu zum zur`,
  `à a au aux avait avec ce ces cette combien comment d dans de des du elle elles en est et il ils l la le les leur ont
  où ou par pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sa se ses son sont sur un une était
  étaient`,
  `a al con cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del dónde el en era eran es fue fueron ha han hay la
  las lo los o para por qué quién quiénes se son su sus un una unas unos y`,
  `a al alla che chi come con cosa da dei del della delle di dove e è erano era gli i il in la le lo nel nella perché
  qual quale quali quando quanta quante quanti quanto si sono su un una`,
  `a as com como da das de do dos e é em era foi foram na nas no nos o onde os ou para por qual quais quando quantas
  quanto quantos quem que se são um uma`,
  `de een en het hoe hoeveel in is met of op te van voor waar waarom wanneer waren was wat welk welke werd wie zijn`,
  `а в был была были было где и из как какая какие какой какое какую какого каком какова каков каким какими каких когда
  кого кому кто кем чем чему чего на о об от по почему с со сколько что это за зачем для не у к во до или является
  являлся являются его её их который которые которая которого`,
  `η ή ο οι το τα τη την της του τον των τους τις στο στη στην στον στα στις στους τι ποια ποιο ποιος ποιον ποιοι ποιες
  ποιους ποιου ποιας πότε πού πώς πόσο πόσα πόσοι πόσες πόση γιατί είναι ήταν έχει έχουν είχε είχαν και για που ότι από
  με σε ως να θα δεν ένα ένας μια μία ενός μιας κατά μεταξύ`,
  `a al ale au avea avut când care ce cel cea cele cei cine conform cu cui cum câte câți cât câtă de din dintre după este
  era erau fi fost la lor lui mai nu o pe pentru prin sa se său sale sunt unde un una unei unui în între și să s ca că`,
  `bir bu da de daha en gibi hangi hangisi ile için kaç kadar kim kimdir kimdi kimin mi mı mu mü ne neden nedir neydi
  nelerdir neler nerede nereye nasıl neyi neyin neye olan olarak oldu olduğu olduğunu tarafından ve veya in ın nin nın
  da zaman zamandı`,
  `ما ماذا من متى كم أين اين لماذا كيف هل أي اي أية التي الذي الذين في على إلى الى عن مع هو هي هم كان كانت يكون تكون تم
  هذا هذه ذلك تلك أن ان إن و أو او ثم لم لا قد بعد قبل عند بين كل بعض به بها له لها فيها فيه عدد اسم`,
  `क्या कौन किस किसने किसे किसका किसके किसकी कब कहाँ कहां क्यों कैसे कितना कितने कितनी कौनसा कौनसी का की के को में से ने
  पर है हैं था थी थे और या एक यह वह इस उस इसके उसके लिए द्वारा कि जो तो भी ही साथ तक नाम गया गई गए हुआ हुई हुए करता करते
  करती`,
]
  .map(wordSet)
  .concat(VIETNAMESE);

const UNSPACED_QUESTION_WORDS =
  /什么时候|为什么|什么样|什么|多少|多长|多大|哪一个|哪一年|哪些|哪个|哪种|哪里|哪位|哪年|哪|谁|怎么样|怎么|怎样|如何|为何|何时|何处|几个|几次|请问|是否|吗|呢|何ですか|ですか|ますか|ましたか|でしたか|どこ|いつ|誰|だれ|なぜ|どう|どの|どれ|どんな|いくつ|いくら|何|อะไร|ใคร|ที่ไหน|เมื่อไหร่|เมื่อไร|ทำไม|อย่างไร|กี่|เท่าไร|เท่าไหร่|เท่าใด|เมื่อใด|ที่ใด|สิ่งใด|ผู้ใด|เพราะเหตุใด|ใด|ไหน|무엇|누구|언제|어디|왜|어떻게/gu;
const MEASURE = /(?<!\p{L})(?:how|wie)\s+(\p{L}+)/giu;
const NO_WORDS: ReadonlySet<string> = new Set();
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

interface QuestionWords {
  /** Lower-case words of this question without content; for English, stop words cover them. */
  readonly words: ReadonlySet<string>;
  /** Words that name a measure ("how tall"); answers usually omit them. */
  readonly measures: readonly string[];
  /** Also true when the language is unknown. */
  readonly isEnglish: boolean;
  /** Whether each of its words is a syllable. */
  readonly isSyllabic: boolean;
}

export function questionWords(question: string): QuestionWords {
  const words = question.toLowerCase().match(WORD) ?? [];
  const [english = NO_WORDS] = FUNCTION_WORDS;
  let language = english;
  let max = 0;
  for (const candidate of FUNCTION_WORDS) {
    const count = words.filter((word) => candidate.has(word)).length;
    if (count > max) [language, max] = [candidate, count];
  }
  const isEnglish = language === english;
  // "How tall" is answered with a number, "how loud" may be answered with any word.
  const asksNumber = expectedAnswer(question) === 'number';
  const measureWords = asksNumber ? [...question.matchAll(MEASURE)].flatMap(([, word]) => word ?? []) : [];
  return {
    measures: measureWords,
    words: isEnglish ? NO_WORDS : new Set(words.filter((word) => language.has(word))),
    isEnglish,
    isSyllabic: language === VIETNAMESE,
  };
}

/** Blanks question words in scripts without spaces between words. */
export const withoutUnspacedQuestionWords = (question: string): string =>
  question.replace(UNSPACED_QUESTION_WORDS, ' ');
