/** Abbreviations that never end a sentence. Lower case, without the final full stop. */
const ALWAYS_FOLLOWED = new Set(
  (
    'mr mrs ms mx dr prof rev hon fr sr. st ste mt ft gen col lt maj capt sgt cpl cmdr adm gov sen rep pres supt messrs ' +
    'mme mlle vs v cf viz e.g i.e eg ie no nos fig figs eq eqs ch chap sect vol vols pp p ed eds al ' +
    'approx ca c est dept op cit jan feb mar apr jun jul aug sep sept oct nov dec nr hr fr frl bzw z.b d.h u.a o.ä ggf ' +
    'inkl evtl sog vgl str abs bd hg hrsg s ggü zzgl bspw tel núm núms sra srta dra pág págs av ej n.b resp ' +
    'т.е т.к т.н см стр рис табл гл ст им г.г'
  ).split(' '),
);

/** Abbreviations that may end a sentence or occur within one. */
const SOMETIMES_FOLLOWED = new Set(
  (
    'jr sr inc ltd co corp bros llc plc gmbh etc u.s u.k u.n e.u u.s.a d.c b.c a.d b.c.e c.e a.m p.m ph.d m.d b.a m.a ' +
    'b.sc m.sc d.phil esq usw u.s.w ff т.д т.п др г гг в вв'
  ).split(' '),
);

/** Words that are abbreviations only before a number: "Art. 5", but "Photos are art. Some". */
const BEFORE_NUMBERS = new Set('no nos app art para par sec'.split(' '));

/** Words that begin a sentence far more often than they continue a name. */
const OPENERS = new Set(
  (
    'the a an this that these those he she it its they we you i his her their our my your there here in on at by for from ' +
    'with to of as if when while where after before since until although though because however but and or so yet then ' +
    'thus therefore also both each every all some many most no not one two what who why how which during under over into ' +
    'between among about such other another although once even only just today ' +
    'der die das ein eine es er sie wir ihr im in am an auf bei mit nach von zu aus seit als wenn dies diese dieser ' +
    'le la les un une il elle ils elles ce cette ces dans en el los las un una este esta'
  ).split(' '),
);

// Words after an ordinal, which some languages write with a full stop: "am 12. Oktober", "im 19. Jahrhundert".
const AFTER_ORDINAL =
  /^(?:jan|feb|mär|mar|apr|mai|maj|jun|jul|aug|sep|okt|oct|nov|dez|dec|jahrh|jh|auflage|klasse|platz|kapitel)/i;

const LAST_WORD = /([\p{L}\p{N}][\p{L}\p{M}\p{N}.]*)\.$/u;
const FIRST_WORD = /^[\s"'“”‘’«»(]*([\p{L}\p{M}\p{N}]+)/u;

/**
 * Whether the sentence continues with `right` although `left` ends like a sentence: its full stop belongs to an
 * abbreviation, an initial or an ordinal, or a lower-case letter follows.
 */
export function continuesSentence(left: string, right: string): boolean {
  const tail = left.slice(-32).trimEnd();
  // A lower-case letter continues the sentence: "Why?" he asked.
  if (/^\s*\p{Ll}/u.test(right.slice(0, 8))) return true;
  const word = LAST_WORD.exec(tail)?.[1];
  const next = FIRST_WORD.exec(right.slice(0, 48))?.[1];
  if (word === undefined || next === undefined) return false;
  const lower = word.toLowerCase();
  if (/^\d{1,3}$/.test(word)) return tail.length === word.length + 1 || AFTER_ORDINAL.test(next);
  // "No. 5" is a number; "He said no. Nobody came." is an answer.
  if (BEFORE_NUMBERS.has(lower)) return /^(?:\d|(?:[B-HJ-Z]|[IVX]{2,})(?![\p{L}\p{N}]))/u.test(next);
  if (ALWAYS_FOLLOWED.has(lower)) return true;
  const isInitial = /^\p{Lu}$/u.test(word) || /^(?:\p{L}\.)+\p{L}$/u.test(word);
  return (isInitial || SOMETIMES_FOLLOWED.has(lower)) && !OPENERS.has(next.toLowerCase());
}
