import { expect, it, onTestFinished, vi } from 'vitest';
import { nameConversation } from '../../src/agent/name-conversation.ts';
import { builtInPrompts } from '../../src/prompts/prompt-texts.ts';
import { untilAborted } from '../../src/shared/abort.ts';
import { type ScriptedTurn, scriptedModel } from '../support/scripted-model.ts';

const hangs: ScriptedTurn = async function* ({ signal }) {
  yield { type: 'text', text: 'The capital' };
  await untilAborted(signal);
  signal.throwIfAborted();
};

it('a conversation is named by its question if the model takes longer than ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const naming = { namer: scriptedModel(hangs), prompts: builtInPrompts, signal: new AbortController().signal };
  const name = nameConversation('What is the capital of France?', 'Paris.', naming);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await name).toBe('What is the capital of France?');
});
