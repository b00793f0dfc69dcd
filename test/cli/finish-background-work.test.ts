import { expect, it } from 'vitest';
import type { Client } from '../../src/cli/client.ts';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { finishBackgroundWork } from '../../src/cli/finish-background-work.ts';
import { ServiceError } from '../../src/errors.ts';

/** Finishes the work of a client that has nothing to do but to train, which fails; returns the notes. */
async function notesOnFailure(failure: ServiceError): Promise<readonly string[]> {
  const notes: string[] = [];
  async function* nothing() {}
  // biome-ignore lint/correctness/useYield: it fails before its first step
  async function* learn(): AsyncGenerator<never, 'nothing'> {
    throw failure;
  }
  const client = { graph: { finish: nothing }, summarise: nothing, learn };
  const output = { status: () => {}, note: (line = '') => notes.push(line) };
  const interruption = { stop: new AbortController().signal, received: () => undefined };
  await finishBackgroundWork(client as unknown as Client, { output, interruption } as unknown as CommandContext);
  return notes;
}

it('leaves the training to the command that has begun it, without failing', async () => {
  const notes = await notesOnFailure(new ServiceError('conflict', 'The corpus is already being moved.'));
  expect(notes).toEqual(['Another command is training the embedder.']);
  await expect(notesOnFailure(new ServiceError('store_failed', 'The disk is full.'))).rejects.toThrow('disk is full');
});
