import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import type { Corpus } from '../../src/store/corpus.ts';
import { describeEngines } from '../support/engines.ts';
import { newChunk, newDocument, publication } from '../support/store.ts';

/** One submission of a document, with its content. */
interface Attempt {
  readonly number: number;
  readonly content: number;
}

type Step =
  | { readonly do: 'submit'; readonly content: number }
  | { readonly do: 'stage' | 'publish' | 'fail'; readonly by: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('submit' as const), content: fc.nat(4) }),
  fc.record({ do: fc.constantFrom('stage' as const, 'publish' as const, 'fail' as const), by: fc.nat(3) }),
  fc.record({ do: fc.constantFrom('stage' as const, 'publish' as const), by: fc.constant(0) }),
);

const chunksOf = (content: number) =>
  Array.from({ length: content + 1 }, (_, order) => ({
    ...newChunk(order, `content ${content}, passage ${order}`),
    embeddedText: `content ${content}, passage ${order}`,
  }));
const textOf = (content: number) =>
  chunksOf(content)
    .map(({ text }) => text)
    .join('\n');

const conflicts = (error: unknown): boolean => error instanceof ServiceError && error.code === 'conflict';

describeEngines('Submissions', ({ openTestStore }) => {
  it('of concurrent submissions of a document only the last is published, and always completely', async () => {
    const store = await openTestStore();
    const { corpus } = store;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const name = `document ${run++}`;
        const { id } = newDocument(name);
        const attempts: Attempt[] = [];
        let visible: number | undefined;
        for (const each of steps) {
          if (each.do === 'submit') {
            const bytes = Buffer.from(`${name} ${each.content}`);
            const { ingestionAttempt } = await corpus.begin(newDocument(name, { bytes }), { replace: true });
            attempts.unshift({ number: ingestionAttempt, content: each.content });
            continue;
          }
          const attempt = attempts[each.by];
          if (attempt === undefined) continue;
          const isLatest = each.by === 0;
          const outcome = await act(corpus, id, attempt, each.do).catch((error: unknown) => {
            if (conflicts(error)) return 'refused' as const;
            throw error;
          });
          // No call of an earlier submission changes anything any more.
          if (!isLatest) expect(outcome).toBe('refused');
          if (outcome === 'published') visible = attempt.content;
          await expectWhole(corpus, id, visible);
        }
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});

async function act(corpus: Corpus, id: string, attempt: Attempt, what: 'stage' | 'publish' | 'fail') {
  const { number, content } = attempt;
  if (what === 'fail') {
    await corpus.fail(id, { reason: 'given up', remedy: 'file' }, number);
    return 'failed' as const;
  }
  if (what === 'stage') {
    await corpus.setStatus(id, 'parsing', number);
    const kept = await corpus.keep(
      id,
      { title: newTitle(id, await corpus.get(id)), chunks: chunksOf(content) },
      { attempt: number },
    );
    const rest = chunksOf(content).filter(({ order }) => !kept.has(order));
    await corpus.stage(id, rest, { attempt: number });
    return 'staged' as const;
  }
  const whole = { ...publication(textOf(content)), attempt: number, chunkCount: content + 1 };
  await corpus.publish(id, whole);
  return 'published' as const;
}

const newTitle = (id: string, document: { readonly title: string } | undefined): string => document?.title ?? id;

async function expectWhole(corpus: Corpus, id: string, visible: number | undefined): Promise<void> {
  const { items } = await corpus.chunksOf(id, { offset: 0, limit: 99 });
  expect(items.map(({ text }) => text)).toEqual(visible === undefined ? [] : chunksOf(visible).map(({ text }) => text));
  if (visible === undefined) return;
  expect((await corpus.textOf(id))?.text).toBe(textOf(visible));
}
