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

const unnamed = { namer: undefined, prompts: builtInPrompts, signal: new AbortController().signal };

it('a name is cut at a whole character, without the punctuation before the cut', async () => {
  const name = await nameConversation(`${'a'.repeat(78)}…😀 and so on`, '', unnamed);
  expect(name).toBe(`${'a'.repeat(78)}…`);
  expect(await nameConversation(`"${'b'.repeat(79)}." it said`, '', unnamed)).toBe('b'.repeat(79));
});

it('a question of a million signs is named at once', async () => {
  // In quadratic time, it would take far longer than a test may.
  expect(await nameConversation(`x${'*'.repeat(1_000_000)}y`, '', unnamed)).toMatch(/^x/);
});
