import { ServiceError } from '../errors.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { finishExtraction } from './graph.ts';
import { count, counted } from './progress-line.ts';
import { trainingLine } from './training-line.ts';

/** Without a lasting server, finishes the background work that ingestion left behind: graphs, summaries, training. */
export async function finishBackgroundWork(client: Client, context: CommandContext): Promise<void> {
  await finishGraph(client, context);
  await finishSummaries(client, context);
  await finishLearning(client, context);
}

/** Trains the embedder from the corpus before the program ends, unless that takes long or is interrupted. */
async function finishLearning(client: Client, { output, interruption }: CommandContext): Promise<void> {
  output.status('Training the embedder');
  try {
    const steps = client.learn(interruption.stop);
    for (;;) {
      const step = await steps.next();
      output.status(step.done ? '' : trainingLine(step.value));
      if (!step.done) continue;
      if (step.value === 'left')
        output.note(
          'No embeddings have been learned from these documents yet: a running server does that when it is idle, ' +
            '"citewell reindex" at once.',
        );
      return;
    }
  } catch (error) {
    output.status('');
    const isUnderWay = error instanceof ServiceError && error.code === 'conflict';
    if (!isUnderWay && interruption.received() === undefined) throw error;
    output.note(
      isUnderWay
        ? 'Another command is training the embedder.'
        : 'The embedder is trained by the next server, or with the next documents.',
    );
  }
}

/** Writes pending summaries before the program ends, unless the model is unavailable or it is interrupted. */
async function finishSummaries(client: Client, { output, interruption }: CommandContext): Promise<void> {
  let failed = 0;
  try {
    let isAnnounced = false;
    for await (const step of client.summarise(interruption.stop)) {
      if (!isAnnounced)
        output.note('The language model summarises the new documents (CITEWELL_SUMMARIES=extract: without it).');
      isAnnounced = true;
      failed = step.failed;
      output.status(`Summarising: ${count(step.done)} of ${count(step.total)} documents`);
    }
    if (failed > 0)
      output.note(`${counted(failed, 'document')} ${failed === 1 ? 'keeps' : 'keep'} an extractive summary.`);
  } catch (error) {
    const why = error instanceof ServiceError && interruption.received() === undefined ? ` (${error.message})` : '';
    output.note(`The other summaries are written by the next server, or with the next documents${why}.`);
  } finally {
    output.status('');
  }
}

/** Without a lasting server, finishes the graph before the program ends. */
async function finishGraph(client: Client, { output, interruption }: CommandContext): Promise<void> {
  output.status('Extracting the graph');
  try {
    const last = await finishExtraction(client.graph.finish(interruption.stop), output);
    const failed = last?.failed ?? 0;
    if (failed > 0) output.note(`The graph of ${counted(failed, 'document')} was not extracted.`);
  } catch (error) {
    if (interruption.received() === undefined) throw error;
    output.note('The remaining documents are extracted by the next server, or by: citewell graph build');
  }
}
