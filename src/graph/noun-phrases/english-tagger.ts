import type { Model, WinkMethods } from 'wink-nlp';
import type { Tag, Token } from './tokens.ts';

/** Part-of-speech tagger for English sentences. */
export interface EnglishTagger {
  tag(sentence: string, offset: number, tokens: readonly Token[]): readonly Token[];
}

/** The tagger caches every word it has seen; it is replaced after this many sentences to free memory. */
const SENTENCES_PER_TAGGER = 20_000;

/** Loads the English model. It takes about 70 MB of memory, so it is loaded only for extraction. */
export async function loadEnglishTagger(sentencesPerTagger = SENTENCES_PER_TAGGER): Promise<EnglishTagger> {
  const [{ default: winkNLP }, { default: model }] = await Promise.all([
    import('wink-nlp'),
    import('wink-eng-lite-web-model'),
  ]);
  const reusable = withReusableEntityRules(model);
  const create = (): WinkMethods => winkNLP(reusable, ['pos']);
  let tagger = create();
  let sentences = 0;
  return {
    tag(sentence, offset, tokens) {
      sentences += 1;
      if (sentences % sentencesPerTagger === 0) tagger = create();
      const { its } = tagger;
      const read = tagger.readDoc(sentence).tokens();
      const words = read.out(its.value) as string[];
      const tags = read.out(its.pos) as string[];
      return align({ sentence, offset, tokens, words, tags });
    },
  };
}

let entityRules: unknown;

/**
 * `metaCER` of the model encodes its own previous result as JSON again at each call. Quotes are escaped once more each time,
 * so the text doubles until no string can hold it, after about 20 calls. It is called only once.
 */
function withReusableEntityRules(model: Model): Model {
  const read = model.metaCER;
  if (typeof read !== 'function') return model;
  return {
    ...model,
    metaCER: () => {
      entityRules ??= read();
      return entityRules;
    },
  };
}

interface Alignment {
  readonly sentence: string;
  readonly offset: number;
  readonly tokens: readonly Token[];
  readonly words: readonly string[];
  readonly tags: readonly string[];
}

/** A token gets the tag of the last of the tagger's words in it, such as the head of `well-known`. */
function align({ sentence, offset, tokens, words, tags }: Alignment): readonly Token[] {
  const tagEnding = new Map<number, Tag>();
  let at = 0;
  for (const [place, word] of words.entries()) {
    while (at < sentence.length && /\s/.test(sentence.charAt(at))) at++;
    // The tagger rewrites some characters; the rest of such a sentence is left untagged.
    if (!sentence.startsWith(word, at)) {
      if (word.trim() === '') continue;
      break;
    }
    at += word.length;
    tagEnding.set(offset + at, TAGS[tags[place] ?? ''] ?? 'other');
  }
  return tokens.map((token) => (token.kind === 'mark' ? token : { ...token, tag: tagEnding.get(token.end) ?? null }));
}

const TAGS: Readonly<Record<string, Tag>> = {
  PROPN: 'name',
  NOUN: 'noun',
  ADJ: 'adjective',
  VERB: 'verb',
  AUX: 'auxiliary',
  ADV: 'adverb',
  ADP: 'preposition',
  PART: 'preposition',
  DET: 'determiner',
};
