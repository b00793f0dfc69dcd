import { expect, it } from 'vitest';
import { collectReply } from '../../src/models/collect-reply.ts';
import { calls, scriptedModel, thinks } from '../support/scripted-model.ts';
import { modelRequest } from './support.ts';

it('returns the text, without thinking, and the calls of the whole reply', async () => {
  const call = { id: '1', name: 'search', arguments: {} };
  const model = scriptedModel(thinks('Let me see.', 'It is tea.'), calls(call));
  expect(await collectReply(model, modelRequest())).toMatchObject({ text: 'It is tea.', calls: [], reason: 'end' });
  expect(await collectReply(model, modelRequest())).toMatchObject({ text: '', calls: [call], reason: 'tool_calls' });
});

it('does not take a reply that ended early for a whole one', async () => {
  const model = scriptedModel(() => [{ type: 'text', text: 'It is' }]);
  await expect(collectReply(model, modelRequest())).rejects.toMatchObject({ code: 'provider_failed' });
});
