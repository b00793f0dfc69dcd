import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { createAnswerer } from '../../src/rag/answer-question.ts';
import { collectAnswer } from '../../src/rag/collect-answer.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import type { StandaloneQueries } from '../../src/retrieval/standalone-query.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import { finding, foundChunk } from '../support/found.ts';
import { onlyModel, says, scriptedModel } from '../support/scripted-model.ts';

const earlier = [
  { role: 'user', text: 'What is the capital of France?' },
  { role: 'assistant', text: 'Paris [1].' },
] as const;

async function answerTo(query: string, standalone?: StandaloneQueries) {
  const searched: string[] = [];
  const inner = finding(foundChunk('Rome is the capital of Italy.'));
  const retriever: Retriever = {
    search: (text, ...rest) => {
      searched.push(text);
      return inner.search(text, ...rest);
    },
  };
  const model = scriptedModel(says('Rome [1].'));
  const answerer = createAnswerer({
    retriever,
    models: onlyModel(model),
    analyser: { analyse, analyseQuery },
    standaloneQueries: standalone,
  });
  const request = { query, earlier, search: defaultSearchSettings, generation: {}, includeTitle: false };
  const answer = await collectAnswer(answerer.answer(request, new AbortController().signal));
  const prompt = model.requests[0]?.messages.find(({ role }) => role === 'user')?.text ?? '';
  return { searched, prompt, explanation: answer.search.explanation };
}

describe('a follow-up question', () => {
  it('is searched in its standalone form, and answered in its original form', async () => {
    const { searched, prompt, explanation } = await answerTo('And of Italy?', {
      write: async () => 'What is the capital of Italy?',
    });
    expect(searched).toEqual(['What is the capital of Italy?']);
    expect(explanation.searched).toBe('What is the capital of Italy?');
    expect(prompt).toContain('Question: And of Italy?');
    expect(prompt).toContain('searched for: What is the capital of Italy?');
  });

  it('is searched with words of the previous question without a model, with a note if one failed', async () => {
    expect((await answerTo('And of Italy?')).searched).toEqual(['And of Italy? capital France']);
    const write = () => Promise.reject(new ServiceError('rate_limited', 'Too many.'));
    const { searched, explanation } = await answerTo('And of Italy?', { write });
    expect(searched).toEqual(['And of Italy? capital France']);
    expect(explanation.notes.join()).toMatch(/Too many/);
  });

  it('is unchanged when it is standalone', async () => {
    const { prompt, explanation } = await answerTo('Which river flows through the old town of Rome?');
    expect(prompt).not.toContain('searched for');
    expect(explanation).not.toHaveProperty('searched');
  });
});
