import type { Sentence } from './sentence.ts';

/** How often words occur in a document capitalised where the position does not require it, and in lower case. */
export interface CaseEvidence {
  capitalizedInside(lower: string): number;
  lowerCase(lower: string): number;
  /** Capitalised after a determiner; in German this distinguishes nouns from names. */
  afterDeterminer(lower: string): number;
}

const DETERMINERS = new Set(
  (
    'der die das den dem des ein eine einen einem einer eines kein keine jeder jede jedes dieser diese dieses diesem zum ' +
    'zur im am beim vom ins sein seine seinen seiner seinem ihr ihre ihren ihrer ihrem unser unsere alle viele einige mehrere'
  ).split(' '),
);

export function readCaseEvidence(sentences: readonly Sentence[]): CaseEvidence {
  const inside = new Map<string, number>();
  const small = new Map<string, number>();
  const determined = new Map<string, number>();
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const { tokens, style } of sentences) {
    if (style !== 'prose') continue;
    for (const [place, { kind, lower, isCapital }] of tokens.entries()) {
      if (kind !== 'word') continue;
      if (!isCapital) count(small, lower);
      else {
        if (!startsSentence(tokens, place)) count(inside, lower);
        const before = tokens[place - 1];
        const isInflected = before?.kind === 'word' && !before.isCapital && /(?:e|en|er|es|em)$/.test(before.lower);
        if (before !== undefined && (DETERMINERS.has(before.lower) || (isInflected && !before.isCommon))) {
          count(determined, lower);
        }
      }
    }
  }
  return {
    capitalizedInside: (lower) => inside.get(lower) ?? 0,
    lowerCase: (lower) => small.get(lower) ?? 0,
    afterDeterminer: (lower) => determined.get(lower) ?? 0,
  };
}

/** Whether the position explains a word's capital: at the beginning, after a colon, a quotation mark or a bullet. */
export function startsSentence(tokens: Sentence['tokens'], place: number): boolean {
  for (let at = place - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token === undefined) return true;
    if (token.kind === 'word') return false;
    if (/^[:"“„«‘•*\-–—.!?(]$/.test(token.text)) return !/^[()]$/.test(token.text) || at === 0;
    if (token.kind === 'mark' && !/^[#>]$/.test(token.text)) return at === 0;
  }
  return true;
}
