import { ServiceError } from '../errors.ts';
import type { FinishProgress } from '../http/routes/finish.ts';
import type { CommandContext } from './command-context.ts';
import { aboutDollars } from './cost-words.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { GraphEstimateRecord, GraphHitRecord } from './graph-client.ts';
import { visible, visibleLine } from './layout.ts';
import { lineInput } from './line-input.ts';
import type { Output } from './output.ts';
import { count, counted, progressLine } from './progress-line.ts';
import { withClient } from './with-client.ts';

interface Json {
  readonly json?: boolean;
}

interface InCollection extends Json {
  readonly collection: string;
  readonly model?: string;
}

/** `citewell graph show`: relationships of a name, with their sentences. */
export function showGraph(
  words: readonly string[],
  { limit, json }: Json & { readonly limit: number },
  context: CommandContext,
): Promise<ExitCode> {
  const { output, interruption } = context;
  return withClient(context, async (client) => {
    const hits = await client.graph.find(words.join(' '), limit, interruption.stop);
    if (json) output.print(JSON.stringify(hits));
    else if (hits.length === 0) output.print('The graph contains nothing about this.');
    else for (const line of hits.flatMap(hitLines)) output.print(line);
    return exitCodes.ok;
  });
}

function hitLines({ result_type: type, content, metadata }: GraphHitRecord): string[] {
  const member = (name: string) => (typeof content[name] === 'string' ? visible(content[name]) : '');
  const from = metadata.documents.map(({ title }) => visibleLine(title)).join('; ');
  const head =
    type === 'relationship' ? `${member('subject')} – ${member('predicate')} – ${member('object')}` : member('name');
  const text = member(type === 'community' ? 'summary' : 'description');
  return [`${type}: ${head}`, ...(text === '' ? [] : [`  ${text}`]), ...(from === '' ? [] : [`  in: ${from}`])];
}

/** `citewell graph view`: the graph of a collection, most mentioned entities first. */
export function viewGraph(
  { collection, limit, json }: InCollection & { readonly limit: number },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  return withClient(context, async (client) => {
    const view = await client.graph.view(collection, limit);
    if (json) {
      output.print(JSON.stringify(view));
      return exitCodes.ok;
    }
    const { nodes, edges, communities, total_nodes: all } = view;
    output.print(
      `${counted(all, 'entity', 'entities')}, ${counted(view.total_edges, 'relationship')}, ${counted(communities.length, 'community', 'communities')}.`,
    );
    if (all === 0) output.note('Build it with: citewell graph build');
    const labels = new Map(nodes.map(({ id, label }) => [id, label]));
    for (const { label, mentions } of nodes) output.print(`${visibleLine(label)}  (${count(mentions)})`);
    for (const { source, label, target } of edges.slice(0, limit)) {
      const [one, other] = [labels.get(source) ?? source, labels.get(target) ?? target];
      output.print(`  ${visibleLine(one)} – ${visibleLine(label)} – ${visibleLine(other)}`);
    }
    return exitCodes.ok;
  });
}

/** `citewell graph build`: merges the graphs of a collection's documents and finds communities. */
export function buildGraph({ collection, model, json }: InCollection, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  return withClient(context, async (client) => {
    await finishExtraction(client.graph.finish(interruption.stop), output);
    const startedAt = performance.now();
    const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) => {
      const elapsedSeconds = (performance.now() - startedAt) / 1000;
      const progress = { done, total, failed: 0, skipped: 0, elapsedSeconds, unit: 'documents gathered' };
      output.status(progressLine(progress, output.width));
    };
    const built = await client.graph
      .build(collection, { model, signal: interruption.stop, onProgress })
      .finally(() => output.status(''));
    if (json) output.print(JSON.stringify(built));
    else
      output.print(
        `${counted(built.documents, 'document')} merged, ${counted(built.communities, 'community', 'communities')} built.`,
      );
    return exitCodes.ok;
  });
}

/** `citewell graph extract`: extracts the documents of a collection again, after showing the cost. */
export function extractGraph(
  { collection, model, yes, json }: InCollection & { readonly yes?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { output, interruption } = context;
  return withClient(context, async (client) => {
    const estimate = await client.graph.estimate(collection, model);
    if (json) output.print(JSON.stringify({ type: 'estimate', ...estimate }));
    else output.print(estimateText(estimate));
    if (estimate.calls > 0 && !yes && !(await isConfirmed(interruption.stop))) {
      output.note('Nothing was extracted. Give --yes, or answer yes.');
      return exitCodes.failure;
    }
    await client.graph.extract(collection, model);
    const last = await finishExtraction(client.graph.finish(interruption.stop), output);
    if (interruption.received() !== undefined) {
      output.note('Stopped. Completed documents are kept; the server, or this command, continues with the rest.');
      return exitCodes.interrupted;
    }
    if (json) output.print(JSON.stringify({ type: 'done', documents: estimate.documents, failed: last?.failed ?? 0 }));
    else output.print(`${counted(estimate.documents, 'document')} extracted.`);
    return (last?.failed ?? 0) > 0 ? exitCodes.partly : exitCodes.ok;
  });
}

function estimateText({ model, documents, chunks, calls, cost_usd: cost, ...tokens }: GraphEstimateRecord): string {
  const what = `${counted(documents, 'document')}, ${counted(chunks, 'passage')}, by ${model}`;
  if (calls === 0) return `${what}: costs nothing.`;
  const money = cost === null ? 'at an unknown price (CITEWELL_PRICES)' : aboutDollars(cost);
  return `${what}: ${counted(calls, 'call')}, about ${count(tokens.input_tokens)} tokens read and ${count(tokens.output_tokens)} written, ${money}.`;
}

async function isConfirmed(stop: AbortSignal): Promise<boolean> {
  const input = lineInput({
    input: process.stdin,
    echo: process.stderr,
    onInterrupt: () => {
      input.close();
      return true;
    },
    stop,
  });
  try {
    if (!input.isInteractive) {
      throw new ServiceError('invalid_request', 'Confirmation needs a terminal; give --yes to confirm.');
    }
    return /^\s*y(?:es)?\s*$/i.test((await input.next('Continue? [y/N] ')) ?? '');
  } finally {
    input.close();
  }
}

/** Shows the progress of extraction until it is finished. */
export async function finishExtraction(
  steps: AsyncIterable<FinishProgress>,
  output: Output,
): Promise<FinishProgress | undefined> {
  const startedAt = performance.now();
  let last: FinishProgress | undefined;
  try {
    for await (const step of steps) {
      last = step;
      const elapsedSeconds = (performance.now() - startedAt) / 1000;
      const progress = { ...step, skipped: 0, elapsedSeconds, unit: 'documents into the graph' };
      output.status(progressLine(progress, output.width));
    }
  } finally {
    output.status('');
  }
  return last;
}
