import { ServiceError } from '../errors.ts';
import {
  modelPrompt,
  type ProposedQuestion,
  questionFromModel,
  questionFromText,
  type SourceChunk,
} from '../evaluation/make-question.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { DocumentRecord } from './from-wire.ts';
import { progressLine } from './progress-line.ts';
import { withClient } from './with-client.ts';

export interface EvalMakeOptions {
  readonly count: number;
  /** Model that writes the questions; `true` selects the default one. */
  readonly withModel?: string | true;
}

/** `citewell eval make`: proposes questions over the whole corpus, as lines of a file for a person to review. */
export function makeQuestions(options: EvalMakeOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  return withClient(context, async (client) => {
    const model = await modelFor(client, options);
    const startedAt = performance.now();
    const usedQuestions = new Set<string>();
    const questions = propose(client, { count: options.count, model, usedQuestions }, interruption.stop);
    for await (const question of questions) {
      output.print(JSON.stringify(question));
      const elapsedSeconds = (performance.now() - startedAt) / 1000;
      const progress = { done: usedQuestions.size, total: options.count, failed: 0, skipped: 0, elapsedSeconds };
      output.status(progressLine({ ...progress, unit: 'questions' }, output.width));
    }
    output.status('');
    if (usedQuestions.size === 0) output.note('The corpus has no passage suitable for a question.');
    else if (usedQuestions.size < options.count)
      output.note(`The corpus yielded only ${usedQuestions.size} questions.`);
    if (usedQuestions.size > 0)
      output.note(output.noteStyle('yellow', model === undefined ? ABOUT_WORDS : ABOUT_MODELS));
    return interruption.stop.aborted ? exitCodes.interrupted : exitCodes.ok;
  });
}

const ABOUT_WORDS =
  'These questions consist of words of the corpus: they test whether stored text is found again, which full-text search ' +
  'does best by construction, and not how real questions perform. Replace them with questions that people ask.';
const ABOUT_MODELS =
  'A model wrote these questions from single passages: other passages may answer them as well, and people ask differently. ' +
  'Review them before you rely on them.';

async function modelFor(client: Client, { withModel }: EvalMakeOptions): Promise<string | undefined> {
  if (withModel !== true) return withModel;
  const defaultModel = (await client.status()).model;
  if (!defaultModel.startsWith('builtin/')) return defaultModel;
  throw new ServiceError(
    'not_configured',
    'No language model is configured. Omit --with-model to build questions from words of the corpus.',
  );
}

interface ProposalParts {
  readonly count: number;
  readonly model: string | undefined;
  /** Questions so far. */
  readonly usedQuestions: Set<string>;
}

/** Enough rounds to reach every chunk of a document; also ends the search in a corpus with too few chunks. */
const MAX_ROUNDS = 50;

/**
 * One question from each of as many documents as requested, spread evenly over the corpus; with fewer documents several
 * each, from different chunks. Deterministic for a given corpus.
 */
async function* propose(
  client: Client,
  { count, model, usedQuestions }: ProposalParts,
  stop: AbortSignal,
): AsyncGenerator<ProposedQuestion, void> {
  const { total } = await client.documents({ offset: 0, limit: 1 });
  if (total === 0) return;
  const steps = Math.min(total, count);
  for (let round = 0; round < MAX_ROUNDS && usedQuestions.size < count; round++) {
    for (let step = 0; step < steps && usedQuestions.size < count; step++) {
      if (stop.aborted) return;
      // Each round starts a little further on, so that documents in between are used too.
      const offset = (Math.floor(((step + 0.5) * total) / steps) + round) % total;
      const chunk = await chunkOf(client, offset, round);
      if (chunk === undefined) continue;
      const question =
        model === undefined
          ? questionFromText(chunk, (step + round) % 2 === 0)
          : questionFromModel(chunk, await client.complete({ prompt: modelPrompt(chunk), model }, stop), model);
      if (question === undefined || usedQuestions.has(question.question)) continue;
      usedQuestions.add(question.question);
      yield question;
    }
  }
}

/** A chunk of the document at that position; a different one in each round. */
async function chunkOf(client: Client, offset: number, round: number): Promise<SourceChunk | undefined> {
  const { documents } = await client.documents({ offset, limit: 1 });
  const [document] = documents;
  const chunks = document === undefined ? 0 : chunkCount(document);
  if (document === undefined || chunks === 0) return undefined;
  // Golden-ratio steps spread over the chunks of a document and repeat none before all were visited.
  const position = Math.floor(((0.382 + round * 0.618) % 1) * chunks);
  const [chunk] = await client.chunks(document.id, { offset: position, limit: 1 });
  return chunk && { ...chunk, documentId: document.id, title: document.title };
}

const chunkCount = ({ chunk_count: count }: DocumentRecord): number => (typeof count === 'number' ? count : 0);
