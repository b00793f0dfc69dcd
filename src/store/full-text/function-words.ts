import { stopWords } from './stop-words.ts';

/** Language class of a Latin-script text, as far as the analyser needs it. */
export type LatinLanguage = 'english' | 'inflected' | 'unknown';

/**
 * Distinguishes English, which has a stemmer, from languages with richer inflection by their most frequent function
 * words. `words` are folded.
 */
export function latinLanguage(words: Iterable<string>): LatinLanguage {
  let english = 0;
  let other = 0;
  let all = 0;
  for (const word of words) {
    all++;
    if (word.length > LONGEST) continue;
    if (stopWords.has(word)) english++;
    else if (functionWords.has(word)) other++;
  }
  if (english > other) return 'english';
  return other > english && other >= Math.max(2, all * MIN_SHARE) ? 'inflected' : 'unknown';
}

// In running text the words below make up a quarter of all words; in program text a few may occur as names by chance.
const MIN_SHARE = 0.08;

// Folded; words that are also English are left out. German, Dutch, Scandinavian, French, Spanish, Portuguese, Italian,
// Romanian, Polish, Czech, Croatian, Hungarian, Finnish, Estonian, Turkish, Vietnamese, Indonesian.
const functionWords: ReadonlySet<string> = new Set(
  `der die das und ist nicht ein eine einen einer eines einem von fur auf dem den des im zu sich auch wird wie sind
  werden wurde als bei aus nach uber oder aber wenn durch kann sein zum zur welche welcher welches wer wo wann warum
  het een van en niet te voor zijn aan met ook wordt deze naar bij uit maar
  och att det som pa ar av inte ett om har kan til og er ikke fra hvad hvor vad vilka
  le la les et est dans que une pour du au aux sur avec qui pas ce cette sont ou ete plus quel quelle quels quelles
  el los las un por su una del lo como mas pero sus fue ser cual cuales donde quien cuando
  um uma nao ao foi mais qual quem onde quando
  il di che gli della per sono delle dei nel alla si nella quale quali dove chi
  este care din cu pentru sau sunt fost
  w na z sie nie jest oraz przez ktory ktora jak czy dla od kto gdzie kiedy jakie jaki
  je ve pro jsou byl nebo jeho kde kdo jake
  za koji nije bio gdje
  az egy es hogy nem volt ez milyen mely hol
  ja ei oli se joka mika kuka missa olla ovat
  bir bu icin ile olarak olan daha hangi nedir nerede kim
  va cua trong cho cac duoc nguoi khong nhung
  yang dan dari untuk dengan ini itu adalah pada tidak apa siapa`
    .split(/\s+/)
    .filter((word) => word !== '' && !stopWords.has(word)),
);

const LONGEST = Math.max(...[...stopWords, ...functionWords].map((word) => word.length));
