import type { Category } from './category-votes.ts';

/** A stretch of a text in a script without capitals. */
export interface UnspacedSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: 'name' | 'term';
  readonly category: Category | null;
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/gu;
const LEAST_SHARE = 0.2;

/** Whether capitals and spaces tell nothing in most of a text. */
export function isUnspaced(text: string): boolean {
  const sample = text.slice(0, 4_000);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return letters > 0 && (sample.match(UNSPACED)?.length ?? 0) > letters * LEAST_SHARE;
}

// What an ideographic name ends with tells its kind.
const ENDINGS: readonly (readonly [Category, RegExp])[] = [
  [
    'organization',
    /(?:公司|集团|集團|大学|大學|学院|學院|银行|銀行|研究所|研究院|协会|協会|協會|委员会|委員会|委員會|株式会社|新聞社|病院|医院|博物館|博物馆|図書館|图书馆|政府|省厅|部队|학교|대학교|대학|은행|회사|연구소|협회)$/,
  ],
  ['place', /(?:市|省|県|县|縣|區|区|州|国|國|島|岛|山|河|川|湖|海|町|村|寺|城|駅|站|시|도|군|구|섬|강)$/],
  ['work', /(?:条約|条约|憲法|宪法|法案)$/],
];

/** Words of grammar and generality that name nothing. */
const EMPTY = new Set(
  (
    '这 那 这个 那个 我们 他们 她们 你们 自己 一个 一种 一些 没有 可以 因为 所以 但是 如果 由于 以及 其中 之后 之前 其他 主要 已经 目前 年 月 日 ' +
    'これ それ あれ この その ある いる する なる こと もの ため よう ところ とき など および また 彼 彼女 私 人 年 月 日 ' +
    'และ ที่ ของ เป็น ใน มี การ ความ ได้ ให้ จาก ว่า นี้ นั้น ไม่ กับ โดย เพื่อ หรือ ซึ่ง คน ปี วัน แห่ง ตั้ง อยู่ มา ไป ' +
    '그 이 저 것 수 등 및 또는 있다 하는 그리고 하지만 위해 대한 년 월 일'
  ).split(' '),
);
const KOREAN_PARTICLE = /(?:에서|에게|으로|까지|부터|이다|하고|은|는|이|가|을|를|의|에|로|와|과|도|만)$/;
const BRACKETED = /《([^《》]{1,40})》|『([^『』]{1,40})』|「([^「」]{2,20})」/gu;
const KATAKANA = /[\p{sc=Kana}ー]{3,20}(?:[・＝][\p{sc=Kana}ー]{2,20}){0,4}/gu;
const LATIN_NAME = /\p{Lu}[\p{L}\d]{1,30}(?: \p{Lu}[\p{L}\d]{1,30}){0,3}/gu;
const DATE = /(?:\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?)/gu;

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** Titles in brackets, katakana, Latin names, and words that the platform's dictionary finds. */
export function findUnspaced(sentence: string): UnspacedSpan[] {
  const spans: UnspacedSpan[] = [];
  const taken = new Uint8Array(sentence.length);
  const add = (start: number, end: number, kind: UnspacedSpan['kind'], category: Category | null) => {
    if (taken.subarray(start, end).some((is) => is === 1)) return;
    taken.fill(1, start, end);
    spans.push({ start, end, kind, category });
  };
  for (const match of sentence.matchAll(BRACKETED)) {
    const isWork = match[3] === undefined;
    add(match.index + 1, match.index + match[0].length - 1, 'name', isWork ? 'work' : null);
  }
  for (const match of sentence.matchAll(DATE)) taken.fill(1, match.index, match.index + match[0].length);
  for (const match of sentence.matchAll(LATIN_NAME)) add(match.index, match.index + match[0].length, 'name', null);
  addWords(sentence, add);
  for (const match of sentence.matchAll(KATAKANA)) add(match.index, match.index + match[0].length, 'name', null);
  return spans.sort((a, b) => a.start - b.start);
}

type Add = (start: number, end: number, kind: UnspacedSpan['kind'], category: Category | null) => void;

interface Word {
  readonly start: number;
  readonly end: number;
}

/** A name is of at most so many words of the dictionary. */
const MAX_WORDS = 4;

/** Neighbouring words of ideographs up to an ending that tells their kind; other words by themselves. */
function addWords(sentence: string, add: Add): void {
  let run: Word[] = [];
  const close = () => {
    addRun(sentence, run, add);
    run = [];
  };
  for (const { segment, index, isWordLike } of segmenter.segment(sentence)) {
    const isKnown = isWordLike === true && !EMPTY.has(segment);
    if (isKnown && /^\p{sc=Han}+$/u.test(segment)) {
      run.push({ start: index, end: index + segment.length });
      continue;
    }
    close();
    if (!isKnown) continue;
    if (/^\p{sc=Hang}+$/u.test(segment)) addKorean(segment, index, add);
    else if (/^[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]+$/u.test(segment) && segment.length >= 4) {
      add(index, index + segment.length, 'term', null);
    }
  }
  close();
}

function addRun(sentence: string, run: readonly Word[], add: Add): void {
  for (let from = 0; from < run.length; from++) {
    const first = run[from];
    if (first === undefined) continue;
    const found = nameFrom(sentence, run, from);
    if (found !== undefined) {
      add(first.start, found.end, 'name', found.category);
      from = found.last;
    } else if (first.end - first.start >= 2) add(first.start, first.end, 'term', null);
  }
}

function nameFrom(sentence: string, run: readonly Word[], from: number) {
  for (let last = from; last < Math.min(run.length, from + MAX_WORDS); last++) {
    const [first, end] = [run[from], run[last]];
    if (first === undefined || end === undefined) continue;
    const text = sentence.slice(first.start, end.end);
    const ending =
      text.length >= 3 && text.length <= 14 ? ENDINGS.find(([, pattern]) => pattern.test(text)) : undefined;
    if (ending !== undefined) return { last, end: end.end, category: ending[0] };
  }
  return undefined;
}

function addKorean(segment: string, index: number, add: Add): void {
  const stem = segment.replace(KOREAN_PARTICLE, '');
  if (stem.length < 2 || EMPTY.has(stem) || /(?:다|하|했|되|된|한)$/.test(stem)) return;
  const ending = ENDINGS.find(([, pattern]) => pattern.test(stem) && stem.length >= 3);
  add(index, index + stem.length, ending ? 'name' : 'term', ending?.[0] ?? null);
}
