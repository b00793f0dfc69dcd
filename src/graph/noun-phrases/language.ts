/** Languages with rules of their own; all others use common rules. */
export type GraphLanguage = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'other';

// Function words identify the language, and no name or term begins or ends with one.
const COMMON_WORDS: Readonly<Record<Exclude<GraphLanguage, 'other'>, string>> = {
  en: `the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which
    one you were all her she there would their we him been has when who will no more if out so said what up its about into
    than them can only other time some could these two may first then do any such also most many each both after before
    during since until while although because however where why how our my your me us i between through over under again
    further here just very own same too now none nobody someone somebody anyone anybody everyone everybody something anything
    everything nothing another every either neither several few`,
  de: `der die das und ist nicht ein eine einen einer eines einem von für auf dem den des im zu sich auch wird wie sind
    werden wurde wurden als bei aus nach über oder aber wenn durch kann sein seine seiner seinem seinen zum zur welche
    welcher wer wo wann warum mit an am er sie es wir ihr ihre ihrer ihren in um bis vor seit gegen ohne unter zwischen hat
    haben hatte war waren dass noch nur schon sehr mehr dieser diese dieses diesem diesen jeder jede alle beim vom ins heute
    dort hier so ab man kein keine keiner keines keinem keinen niemand jemand nichts etwas jedes jedem jeden alles allen aller
    viele vielen vieler einige einigen einiger mehrere mehreren mehrerer manche manchen mancher beide beiden beider solche
    solchen solcher solches andere anderen anderer anderes weitere weiteren weiterer wenige sowohl während da`,
  fr: `le la les l un une des du de d et est en à au aux il elle ils elles qui que qu dans pour par sur avec pas ne ce
    cette ces cet son sa ses leur leurs se s sont ou où été plus était ont a fut mais comme depuis après avant entre chez
    sous sans lors très aussi dont nous vous je on y même tout toute tous toutes cela c n j aujourd'hui`,
  es: `el la los las un una unos unas de del y e o u en es que por para con no se su sus al lo como más pero fue ser son
    era está están ha han había desde hasta entre sobre sin tras durante también muy este esta estos estas ese esa eso
    cuando donde quien cual ya le les nos yo ella ellos hoy`,
  it: `il lo la i gli le un uno una di del della dello dei degli delle e ed è in nel nella nei nelle che per con non si su
    al alla ai alle da dal dalla come più ma fu sono era ha hanno suo sua suoi sue tra fra dopo prima anche questo questa
    questi queste quando dove chi oggi`,
  pt: `o a os as um uma de do da dos das e em no na nos nas que por para com não se seu sua seus suas ao à como mais mas
    foi ser são era está tem desde até entre sobre sem após durante também muito este esta isto esse essa quando onde quem
    pelo pela hoje`,
  nl: `de het een van en niet te voor zijn aan met ook wordt werd deze dit dat naar bij uit maar in is op door die als om
    of er nog al tot over onder tussen sinds na hij zij ze we wij haar hun was waren heeft hebben had vandaag`,
};

const OTHER_WORDS = `и в во не на я что он с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня
  о из ему это этот эта эти был была были для при или до после вчера сегодня затем тогда однако между также где когда который которая которые
  ο η το οι τα του της των τον την στο στη στον στην στις και με για από είναι ήταν που δεν σε ως ένα ένας μια
  i och att det som en på är av inte ett om har til og er ikke fra med den de w na z się nie jest oraz przez je ve pro jsou
  bir bu için ile olarak ve az egy és hogy nem ja ei oli se`;

const listOf = (words: string): string[] => words.split(/\s+/).filter(Boolean);

const commonWords = new Map(
  Object.entries(COMMON_WORDS).map(([language, words]) => [language as GraphLanguage, new Set(listOf(words))]),
);
const otherWords: ReadonlySet<string> = new Set(listOf(OTHER_WORDS));

/** Whether a word is a function word of the language, in lower case; for `other`, of any known language. */
export function isCommonWord(lower: string, language: GraphLanguage): boolean {
  return commonWords.get(language)?.has(lower) ?? otherWords.has(lower);
}

const SAMPLE_LENGTH = 6_000;
/** In running text a quarter of the words are function words; a lower share means a list or another language. */
const MIN_SHARE = 0.1;

/** Detects the language of a text by its function words; a text with hardly any sentence counts as English. */
export function guessLanguage(text: string): GraphLanguage {
  const words =
    text
      .slice(0, SAMPLE_LENGTH)
      .toLowerCase()
      .match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  let best: GraphLanguage = 'other';
  let max = 0;
  for (const [language, common] of commonWords) {
    const count = words.reduce((sum, word) => sum + (common.has(word) ? 1 : 0), 0);
    if (count > max) [best, max] = [language, count];
  }
  if (max >= Math.max(1, words.length * MIN_SHARE)) return best;
  return words.length > 0 && words.every((word) => /^[a-z]+$/.test(word)) ? 'en' : 'other';
}
