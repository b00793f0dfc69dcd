import type { Random } from '../seeded-random.ts';

/** How the content is uploaded. */
export type Form = 'text' | 'chunks' | 'file';

/** One version of a document with unique words, by which its chunks and their completeness can be recognised. */
export interface Draft {
  readonly id: string;
  readonly version: number;
  readonly form: Form;
  /** Occurs in every sentence of this version and the versions it was edited from, and nowhere else. */
  readonly word: string;
  /** One word per paragraph, which occurs in each of its sentences and nowhere else. */
  readonly marks: readonly string[];
  readonly paragraphs: readonly string[];
}

const NOUNS = ['harbour', 'ferry', 'engine', 'ticket', 'crew', 'winter', 'island', 'cargo', 'light', 'storm'] as const;
const SENTENCES_PER_PARAGRAPH = 7;
// Without vowels and common endings, so that stemmers leave the words unchanged.
const LETTERS = 'bcfghjkmpqtvwxz';

/** Creates drafts whose words are never reused. */
export function createDrafts(random: Random): {
  draft(id: string, version: number, paragraphs: number): Draft;
  /** The next version, in which a few paragraphs differ and the others are unchanged. */
  edit(draft: Draft): Draft;
} {
  const used = new Set<string>();
  const newWord = (): string => {
    for (;;) {
      const word = `z${Array.from({ length: 9 }, () => LETTERS[random.integer(0, LETTERS.length - 1)]).join('')}q`;
      if (used.has(word)) continue;
      used.add(word);
      return word;
    }
  };
  const sentence = (word: string, mark: string): string =>
    `The ${random.pick(NOUNS)} of the ${word} was in the ${random.pick(NOUNS)} when ${mark} had ` +
    `${random.integer(2, 999)} of the ${random.pick(NOUNS)}s and one ${random.pick(NOUNS)}.`;

  const paragraph = (word: string, mark: string): string =>
    Array.from({ length: SENTENCES_PER_PARAGRAPH }, () => sentence(word, mark)).join(' ');

  return {
    edit(draft) {
      const { word, marks, paragraphs } = draft;
      const places = new Set(Array.from({ length: random.integer(1, 3) }, () => random.integer(0, marks.length - 1)));
      const edited = marks.map((mark, index) => (places.has(index) ? newWord() : mark));
      return {
        ...draft,
        version: draft.version + 1,
        marks: edited,
        paragraphs: edited.map((mark, index) =>
          places.has(index) ? paragraph(word, mark) : (paragraphs[index] ?? paragraph(word, mark)),
        ),
      };
    },
    draft(id, version, count) {
      const word = newWord();
      const marks = Array.from({ length: count }, newWord);
      const paragraphs = marks.map((mark) => paragraph(word, mark));
      return { id, version, form: random.pick(['text', 'text', 'chunks', 'file']), word, marks, paragraphs };
    },
  };
}

/** The content as one text. */
export const textOf = ({ paragraphs }: Draft): string => paragraphs.join('\n\n');

/** How much of a draft these texts contain. */
export function shownOf({ word, marks }: Draft, texts: readonly string[]): 'nothing' | 'part' | 'all' {
  const seen = new Set(
    texts.filter((text) => text.includes(word)).flatMap((text) => text.match(/\bz[a-z]{9}q\b/g) ?? []),
  );
  if (!seen.has(word)) return 'nothing';
  return marks.every((mark) => seen.has(mark)) ? 'all' : 'part';
}

/** Words in `draft` but not in `other`, which distinguish the two. */
export function distinctiveWords(draft: Draft, other: Draft | null): readonly string[] {
  if (draft.word !== other?.word) return [draft.word];
  const shared = new Set(other.marks);
  return draft.marks.filter((mark) => !shared.has(mark));
}
