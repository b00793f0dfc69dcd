import { expect, it } from 'vitest';
import { createExtractiveModel, isExtractive } from '../../../src/models/extractive/extractive-model.ts';

it('is refused as a chat model, naming the variables to set', async () => {
  const model = createExtractiveModel();
  const request = { messages: [], tools: [], config: {}, signal: new AbortController().signal };
  const run = Array.fromAsync(model.stream(request));
  await expect(run).rejects.toMatchObject({
    code: 'not_configured',
    message: expect.stringContaining('OPENAI_API_KEY'),
  });
  expect(isExtractive(model.name)).toBe(true);
});
