/** Kind of answer a question expects. */
export type AnswerKind = 'person' | 'time' | 'number' | 'place' | 'reason';

type Pattern = Pick<RegExp, 'test'>;

/**
 * Matches any of the words as a whole word; JavaScript's `\b` knows only ASCII. Compiled when first used: together these
 * patterns take as long to compile as much of a start.
 */
function words(alternatives: string): Pattern {
  let compiled: RegExp | undefined;
  return {
    test(text) {
      compiled ??= new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'iu');
      return compiled.test(text);
    },
  };
}

// Question words by language; the first match decides.
const QUESTION_WORDS: readonly (readonly [AnswerKind, Pattern])[] = [
  ['number', words('how (?:many|much|long|old|far|big|large|tall|high|deep|fast|often|wide|heavy)')],
  ['number', words('what (?:percentage|number|amount|age|fraction|score|price|cost)|wie ?viele?|сколько')],
  [
    'number',
    words('wie (?:lange?|alt|weit|groß|hoch|schnell|oft|tief|schwer|breit|teuer)|combien|cuánt[oa]s?|quant[oiae]'),
  ],
  ['number', /多少|几[个人次年天名种]|多[大长高久远]|いくつ|いくら|何(?:人|個|回|点|本|歳)|얼마|몇/],
  [
    'number',
    words('كم|ما عدد|कितन[ाेी]|kaç|ne kadar|câ(?:t|tă|ți|ţi|te)|πόσ(?:ο|οι|η|ες|α|ων|ους)|bao (?:nhiêu|lâu|xa)|mấy'),
  ],
  ['number', /กี่|เท่าไร|เท่าไหร่|เท่าใด/],
  [
    'time',
    words('ne zaman(?:dı)?|hangi (?:yıl|tarih|gün|ay)(?:da|de|ta|te)?|când|(?:ce|care) (?:an|dată|zi|lună|secol)|πότε'),
  ],
  [
    'time',
    words('(?:τι|ποι[αο]) (?:έτος|χρονιά|χρόνο|ημερομηνία|αιώνα)|khi nào|lúc nào|bao giờ|(?:năm|ngày|tháng) nào'),
  ],
  ['time', /เมื่อ(?:ไร|ไหร่|ใด)|(?:ปี|วัน|เดือน|ช่วง|ศตวรรษ)(?:ใด|ไหน)/],
  ['time', words('متى|في أي (?:عام|سنة|يوم|شهر|قرن)|कब|किस (?:वर्ष|साल|दिन|महीने|शताब्दी)')],
  ['place', words('أين|اين|कहाँ|कहां')],
  ['person', words('कौन|किसने|किसके|किसका|किसकी')],
  ['reason', words('لماذا|क्यों')],
  ['time', words('when|(?:what|which) (?:year|date|day|month|century|decade|time)|wann|когда|в каком году')],
  [
    'time',
    words('welche[mnrs]? (?:jahr|tag|monat|datum|jahrhundert)|quand|quelle (?:année|date)|cuándo|qué año|quando'),
  ],
  ['time', /何时|什么时候|哪一?年|哪[天月]|いつ|何年|언제/],
  ['person', words('who|whom|whose|wer|wem|wen|wessen|qui|quién(?:es)?|chi|кто')],
  ['person', /谁|誰|だれ|누구|누가/],
  ['place', words('where|(?:what|which) (?:country|city|place|state|town|region)|woher|wohin|wo|où|dónde|dove|где')],
  ['place', /哪里|哪儿|何处|どこ|어디/],
  ['reason', words('why|warum|wieso|weshalb|pourquoi|por qué|perché|почему|neden|niçin|γιατί|tại sao|vì sao')],
  ['reason', /为什么|为何|なぜ|왜|ทำไม|เหตุใด|^de ce(?!\p{L})/iu],
  ['place', words('nere(?:de|ye|den|si|sidir)|hangi (?:ülke|şehir|eyalet)(?:de|da|ye)?|unde|πού|ở đâu|nơi nào')],
  ['place', /ที่(?:ไหน|ใด)/],
  ['person', words('cine|cui|ποι(?:ος|ον|οι|ους)|(?:là|của|do|bởi) ai|ai (?:là|đã|được)')],
  // In lower case only: "Kim" is a name as well.
  ['person', /(?<!\p{L})kim(?:dir|di|in|i|e|ler)?(?![\p{L}\p{N}])|ใคร|ผู้ใด/u],
];

export function expectedAnswer(question: string): AnswerKind | undefined {
  return QUESTION_WORDS.find(([, pattern]) => pattern.test(question))?.[0];
}

const DIGIT = /\p{N}|[一二两三四五六七八九十百千万亿]+[个個人次年天名种位]/u;
const NUMERAL = words(
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|twenty|thirty|forty|fifty|hundred|thousand|' +
    'million|billion|half|dozen|twice|once|eine?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|hundert|' +
    'tausend|millionen|deux|trois|quatre|cinq|dix|cent|mille|dos|tres|cuatro|cinco|diez|cien|mil|' +
    'iki|üç|dört|beş|yedi|sekiz|dokuz|yirmi|otuz|elli|milyon|milyar|doi|două|trei|patru|cinci|șase|șapte|zece|sut[eă]|mii|' +
    'milioane|miliarde|bốn|năm|sáu|bảy|tám|chín|mười|trăm|nghìn|ngàn|triệu|tỷ|δύο|τρεις|τρία|τέσσερ(?:ις|α)|πέντε|έξι|επτά|' +
    'οκτώ|εννέα|δέκα|εκατό|(?:δισ)?εκατομμύρι(?:α|ο|ων)|χιλιάδες|два|две|двух|тр[иёе]х?|четыр[её]х?|пят[ьи]|шест[ьи]|семь|' +
    'восемь|девять|десять|сто|тысяч[аи]?|миллион(?:а|ов)?|миллиард(?:а|ов)?|اثنان|اثنين|ثلاثة?|أربعة?|خمسة?|ستة|سبعة?|' +
    'ثمانية|تسعة?|عشرة?|مائة|مئة|ألف|آلاف|مليون|ملايين|مليار|दो|तीन|चार|पांच|पाँच|छह|सात|आठ|नौ|दस|सौ|हजार|हज़ार|लाख|मिलियन|बिलियन',
);
const NUMERAL_UNSPACED = /(?:สอง|สาม|ห้า|เจ็ด|แปด|เก้า|สิบ|ร้อย|ล้าน)/;
const YEAR = /(?<!\p{N})(?:1\d{3}|20\d\d)(?!\p{N})|\p{N}\s*[年月日世时]|世纪|世紀/u;
const DATE = words(
  'january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|' +
    'friday|saturday|sunday|century|januar|februar|märz|juni|juli|oktober|dezember|jahrhundert|' +
    'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|siglo|' +
    'ocak|şubat|mart|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık|yüzyıl|ianuarie|februarie|martie|aprilie|mai|' +
    'iunie|iulie|septembrie|octombrie|noiembrie|decembrie|secol(?:ul|ului)?|января|февраля|марта|апреля|мая|июня|июля|августа|' +
    'сентября|октября|ноября|декабря|век[ае]?|(?:Ιανουαρί|Φεβρουαρί|Μαρτί|Απριλί|Ιουνί|Ιουλί|Σεπτεμβρί|Οκτωβρί|Νοεμβρί|Δεκεμβρί)ου|' +
    'Μαΐου|Αυγούστου|αιώνα|tháng|thế kỷ|يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر|القرن|' +
    'जनवरी|फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|नवंबर|दिसंबर|शताब्दी',
);
const PLACE = /(?<!\p{L})(?:in|at|near|from|to|im|am|bei|aus|nach|à|en|dans|au)\s+(?:the\s+|der\s+|den\s+)?\p{Lu}/u;
/** Where something is to be found: a URL or a path. */
const ADDRESS = /https?:\/\/|(?<!\p{L})www\.|(?<!\S)["'`“(]?(?:~?\/[a-z]|[a-z]:\\)/iu;
const REASON = words(
  'because|since|due to|caused?|reason|so that|in order to|as a result|weil|denn|wegen|damit|aufgrund|grund|car|afin|porque|debido|' +
    'çünkü|nedeniyle|dolayı|deoarece|pentru că|datorită|din cauza|επειδή|λόγω|διότι|vì|bởi|потому|поскольку|из-за|чтобы|بسبب|لأن|क्योंकि|कारण',
);
const REASON_UNSPACED = /因为|由于|因此|所以|为了|ため|から|때문|เพราะ|เนื่องจาก/;
// A capitalized word that does not start the sentence, or a transcribed name in a script without capitals.
const NAME = /[\p{L}\p{N},;:)]\s\p{Lu}\p{Ll}|^\p{Lu}\p{Ll}+\s\p{Lu}\p{Ll}|\p{L}·\p{L}/u;

/** Whether a sentence contains an expression of that kind. */
export function containsAnswer(kind: AnswerKind, sentence: string): boolean {
  switch (kind) {
    case 'number':
      return DIGIT.test(sentence) || NUMERAL.test(sentence) || NUMERAL_UNSPACED.test(sentence);
    case 'time':
      return YEAR.test(sentence) || DATE.test(sentence);
    case 'person':
      return NAME.test(sentence);
    case 'place':
      return PLACE.test(sentence) || ADDRESS.test(sentence);
    case 'reason':
      return REASON.test(sentence) || REASON_UNSPACED.test(sentence);
  }
}

const CASELESS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Arab}\p{sc=Deva}\p{sc=Hebr}]/u;
const VAGUE_NUMBER = words(
  'several|many|few|none|no|all|both|most|some|first|second|third|once|twice|daily|weekly|monthly|yearly|annual(?:ly)?|' +
    'fifteen|sixteen|fifty|sixty|seventy|eighty|ninety|every|each|viele|mehrere|keine?|alle|täglich|jährlich|jede[rsmn]?|' +
    'an? (?:couple|pair|dozen|second|minute|hour|day|week|fortnight|month|year|decade|century)|' +
    'eine[nrms]? (?:paar|dutzend|sekunde|minute|stunde|tag|woche|monat|jahr|jahrzehnt|jahrhundert)|' +
    'une? (?:paire|douzaine|seconde|minute|heure|jour|semaine|mois|an|année|siècle)|' +
    'una? (?:par|docena|segundo|minuto|hora|día|semana|mes|año|siglo)|' +
    'plusieurs|aucune?|chaque|tous|douze|quinze|vingt|trente|varios|muchos|ningun[oa]?|cada|todos|doce|quince|veinte|treinta',
);
const VAGUE_TIME = words(
  'spring|summer|autumn|winter|morning|evening|night|noon|midnight|today|tomorrow|yesterday|hours?|days?|weeks?|months?|' +
    'tage?n?|wochen?|monate?n?|uhr|mittag|mitternacht|jours?|semaines?|mois|heures?|midi|minuit|días?|semanas?|mes(?:es)?|' +
    'horas?|mediodía|medianoche|year|years|age|era|period|war|before|after|during|' +
    'until|since|when|while|frühling|sommer|herbst|morgens?|abends?|heute|gestern|während|bevor|nachdem|seit|bis|als|mai|' +
    'janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|siècle|avant|après|pendant|depuis|' +
    'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|siglo|antes|después|durante|desde|cuando',
);

/**
 * Whether a sentence may contain an answer of that kind. More lenient than `containsAnswer`, because rejected sentences
 * are not quoted as an answer; languages without word lists always pass.
 */
export function mayContainAnswer(kind: AnswerKind, sentence: string): boolean {
  if (containsAnswer(kind, sentence) || CASELESS.test(sentence)) return true;
  const isKnown = /\p{sc=Latn}/u.test(sentence) && !/[\p{sc=Grek}\p{sc=Cyrl}]/u.test(sentence);
  switch (kind) {
    case 'number':
      return !isKnown || VAGUE_NUMBER.test(sentence);
    case 'time':
      return !isKnown || /\p{N}/u.test(sentence) || NUMERAL.test(sentence) || VAGUE_TIME.test(sentence);
    case 'person':
    case 'place':
      return /\p{Lu}/u.test(sentence);
    case 'reason':
      return true;
  }
}
