export type RtfToken =
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  | { readonly kind: 'word'; readonly name: string; readonly value: number | undefined }
  /** A character in a code page. */
  | { readonly kind: 'byte'; readonly code: number }
  | { readonly kind: 'text'; readonly text: string };

const WORD = /([a-zA-Z]{1,40})(-?\d{1,10})? ?/y;
const PLAIN = /[^\\{}\r\n]+/y;

/** Tokenises an RTF file, given as Latin-1, into control words, groups and text. Binary pictures are skipped. */
export function* rtfTokens(source: string): Generator<RtfToken, void> {
  for (let at = 0; at < source.length; ) {
    const character = source[at];
    if (character === '{' || character === '}') {
      yield character === '{' ? { kind: 'open' } : { kind: 'close' };
      at++;
    } else if (character === '\r' || character === '\n' || character === '\0') at++;
    else if (character !== '\\') {
      PLAIN.lastIndex = at;
      const text = PLAIN.exec(source)?.[0] ?? '';
      yield { kind: 'text', text };
      at += Math.max(1, text.length);
    } else {
      WORD.lastIndex = at + 1;
      const found = WORD.exec(source);
      if (found === null) {
        const symbol = source[at + 1] ?? '';
        if (symbol === "'") {
          yield { kind: 'byte', code: Number.parseInt(source.slice(at + 2, at + 4), 16) || 0x20 };
          at += 4;
        } else {
          yield { kind: 'word', name: symbol === '\r' || symbol === '\n' ? 'par' : symbol, value: undefined };
          at += 2;
        }
        continue;
      }
      const value = found[2] === undefined ? undefined : Number(found[2]);
      at = WORD.lastIndex;
      if (found[1] === 'bin') at += Math.max(0, value ?? 0);
      else yield { kind: 'word', name: found[1] ?? '', value };
    }
  }
}
