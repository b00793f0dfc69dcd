import { foldWord } from '../store/full-text/fold-word.ts';

const LEGAL_FORMS = new Set(
  (
    'inc incorporated corp corporation ltd limited llc llp plc gmbh ag kg kgaa ug se sa sas sarl spa srl bv nv ab as asa ' +
    'oy oyj aps kk pty pte co company sl slu lda'
  ).split(' '),
);
const ARTICLES = new Set(['the', 'a', 'an', 'der', 'die', 'das', 'le', 'la', 'les', 'el', 'los', 'las', 'il', 'lo']);
const WORD = /[\p{L}\p{M}\p{N}]+(?:[+#]+)?/gu;
/** Longer names are truncated to this length for comparison. */
const MAX_NAME = 200;

/** The words of a name, folded: without case, accents, possessive, dots of abbreviations and punctuation. */
export function nameWords(name: string): string[] {
  const plain = name
    .slice(0, MAX_NAME)
    .normalize('NFKC')
    .replace(/['’]s?(?=\s|$)/gu, '')
    .replace(/(?<=(?:^|[\s.])\p{L})\.(?=\p{L}(?:[\s.]|$))/gu, '')
    .replaceAll('&', ' and ');
  return (plain.match(WORD) ?? []).map(foldWord);
}

/**
 * Normal form of a name's spellings: `The Acme Corp.` and `ACME`, `Málaga's` and `Malaga` are equal. Names that consist
 * only of an article or a legal form keep it.
 */
export function normalForm(name: string): string {
  const words = nameWords(name);
  let from = 0;
  let to = words.length;
  if (to - from > 1 && ARTICLES.has(words[from] ?? '')) from++;
  while (to - from > 1 && LEGAL_FORMS.has(words[to - 1] ?? '')) to--;
  return words.slice(from, to).join(' ') || name.trim().toLowerCase().slice(0, MAX_NAME);
}

/** Normal form of a lower-case term; also reduces an English plural to the singular where that is safe. */
export function normalTerm(term: string): string {
  const form = normalForm(term);
  const last = form.slice(form.lastIndexOf(' ') + 1);
  return /^[a-z]+$/.test(last) ? form.slice(0, form.length - last.length) + singular(last) : form;
}

function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is|ics|news|series|species)$/.test(word)) return word;
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}
