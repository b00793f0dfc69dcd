import { describe, expect, it, vi } from 'vitest';
import model from 'wink-eng-lite-web-model';
import { loadEnglishTagger } from '../../../src/graph/noun-phrases/english-tagger.ts';
import { tokenize } from '../../../src/graph/noun-phrases/tokens.ts';

describe('the English tagger', () => {
  it('reads the entity rules of the model once: with each reading they double, until no string can hold them', async () => {
    const metaCER = vi.spyOn(model as { metaCER: () => unknown }, 'metaCER');
    const sentence = 'The keeper records the wind.';
    const tagger = await loadEnglishTagger(1);
    const tags = [1, 2, 3].map(() => tagger.tag(sentence, 0, tokenize(sentence, 0, 'en')).map(({ tag }) => tag));
    expect(metaCER.mock.calls.length).toBeLessThanOrEqual(1);
    expect(tags[0]).toContain('noun');
    expect(tags[2]).toEqual(tags[0]);
  });
});
