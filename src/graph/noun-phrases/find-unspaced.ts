import type { Category } from './category-votes.ts';

/** A range of a text in a script without capitals. */
export interface UnspacedSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: 'name' | 'term';
  readonly category: Category | null;
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/gu;
const MIN_SHARE = 0.2;

/** Whether most of a text has neither capitals nor spaces between words. */
export function isUnspaced(text: string): boolean {
  const sample = text.slice(0, 4_000);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return letters > 0 && (sample.match(UNSPACED)?.length ?? 0) > letters * MIN_SHARE;
}

// The ending of an ideographic name indicates its category.
const ENDINGS: readonly (readonly [Category, RegExp])[] = [
  [
    'organization',
    /(?:公司|集团|集團|大学|大學|学院|學院|银行|銀行|研究所|研究院|协会|協会|協會|委员会|委員会|委員會|株式会社|新聞社|病院|医院|博物館|博物馆|図書館|图书馆|政府|省厅|部队|학교|대학교|대학|은행|회사|연구소|협회)$/,
  ],
  ['place', /(?:市|省|県|县|縣|區|区|州|国|國|島|岛|山|河|川|湖|海|町|村|寺|城|駅|站|시|도|군|구|섬|강)$/],
  ['work', /(?:条約|条约|憲法|宪法|法案)$/],
];

/** Function words and general words that are neither names nor terms. */
const FUNCTION_WORDS = new Set(
  (
    '的 在 是 和 与 與 了 被 到 从 從 对 對 为 為 以 及 也 就 都 而 并 並 于 於 由 向 把 让 使 将 將 又 或 不 有 其 该 每 各 某 等 所 后 前 ' +
    '中 上 下 里 内 外 时 个 種 种 次 会 能 要 可 很 更 最 太 再 还 只 已 曾 则 若 因 但 且 至 当 地 得 着 过 来 去 人 名 位 号 第 一 二 三 两 多 ' +
    '这些 那些 许多 一般 通常 可能 可以 能够 应该 必须 需要 包括 包含 通过 认为 提供 使用 进行 成为 称为 具有 存在 发现 发生 开始 结束 导致 允许 要求 ' +
    '表示 作为 根据 关于 对于 用于 位于 来自 属于 之间 之一 以来 以上 以下 同时 随着 直到 然后 然而 虽然 即使 甚至 非常 特别 尤其 完全 部分 全部 大约 ' +
    '时间 问题 情况 方式 方法 结果 原因 影响 过程 部门 人们 人口 世纪 年代 时期 当时 现在 今天 发展 变化 增加 减少 得到 受到 获得 支持 反对 建立 ' +
    '这 那 这个 那个 我们 他们 她们 你们 自己 一个 一种 一些 没有 可以 因为 所以 但是 如果 由于 以及 其中 之后 之前 其他 主要 已经 目前 年 月 日 ' +
    'これ それ あれ この その ある いる する なる こと もの ため よう ところ とき など および また 彼 彼女 私 人 年 月 日 ' +
    'และ ที่ ของ เป็น ใน มี การ ความ ได้ ให้ จาก ว่า นี้ นั้น ไม่ กับ โดย เพื่อ หรือ ซึ่ง คน ปี วัน แห่ง ตั้ง อยู่ มา ไป ' +
    '그 이 저 것 수 등 및 또는 있다 하는 그리고 하지만 위해 대한 년 월 일'
  ).split(' '),
);
const KOREAN_PARTICLE = /(?:에서|에게|으로|까지|부터|이다|하고|은|는|이|가|을|를|의|에|로|와|과|도|만)$/;
const BRACKETED = /《([^《》]{1,40})》|『([^『』]{1,40})』|「([^「」]{2,20})」/gu;
const KATAKANA = /[\p{sc=Kana}ー]{3,20}(?:[・＝][\p{sc=Kana}ー]{2,20}){0,4}/gu;
const LATIN_NAME = /[A-Z][\p{sc=Latn}\d]{1,30}(?: [A-Z][\p{sc=Latn}\d]{1,30}){0,3}/gu;
const DATE = /(?:\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?)/gu;

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** Finds titles in brackets, katakana, Latin names, and words by the platform's dictionary. */
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

/** Adjacent ideographic words up to an ending that indicates a category; other words separately. */
function addWords(sentence: string, add: Add): void {
  let run: Word[] = [];
  const close = () => {
    addRun(sentence, run, add);
    run = [];
  };
  for (const { segment, index, isWordLike } of segmenter.segment(sentence)) {
    const isKnown = isWordLike === true && !FUNCTION_WORDS.has(segment);
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

/** A word with a name ending, or `大学` and the like with the word before it. */
function addRun(sentence: string, run: readonly Word[], add: Add): void {
  const isEnding: boolean[] = [];
  for (const [place, { start, end }] of run.entries()) {
    const word = sentence.slice(start, end);
    const category = categoryOf(word);
    const before = run[place - 1];
    isEnding[place] = category !== undefined && word.length <= 3 && ENDING_ALONE.test(word);
    if (category === undefined) continue;
    if (isEnding[place]) {
      if (before !== undefined && !isEnding[place - 1]) add(before.start, end, 'name', category);
    } else if (word.length >= 3) add(start, end, 'name', category);
  }
  for (const { start, end } of run) if (end - start >= 2) add(start, end, 'term', null);
}

const categoryOf = (word: string): Category | undefined => ENDINGS.find(([, pattern]) => pattern.test(word))?.[0];
const ENDING_ALONE =
  /^(?:公司|集团|集團|大学|大學|学院|學院|银行|銀行|研究所|研究院|协会|協会|協會|委员会|委員会|委員會|新聞社|病院|医院|博物館|博物馆|図書館|图书馆|市|省|県|县|縣|区|區|州|島|岛|山|河|川|湖|海|町|村|寺|城|駅|站|国|國|条約|条约|憲法|宪法|法案|政府)$/;

function addKorean(segment: string, index: number, add: Add): void {
  const stem = segment.replace(KOREAN_PARTICLE, '');
  if (stem.length < 2 || FUNCTION_WORDS.has(stem) || /(?:다|하|했|되|된|한)$/.test(stem)) return;
  const ending = ENDINGS.find(([, pattern]) => pattern.test(stem) && stem.length >= 3);
  add(index, index + stem.length, ending ? 'name' : 'term', ending?.[0] ?? null);
}
