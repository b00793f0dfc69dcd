import { ServiceError } from '../errors.ts';
import { isUrl } from '../ingest/find-sources.ts';
import { type IngestAllOptions, ingestAll } from '../ingest/ingest-all.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { aboutDollars } from './cost-words.ts';
import type { EnrichmentEstimate } from './from-wire.ts';
import { lineInput } from './line-input.ts';
import { count, counted } from './progress-line.ts';

export interface EnrichedParts {
  readonly names: readonly string[];
  readonly options: Omit<IngestAllOptions, 'client' | 'web' | 'site'>;
  /** Consent was given on the command line. */
  readonly isConfirmed: boolean;
}

/**
 * Shows the estimated cost of `--enrich` and asks for confirmation. Returns false if declined. Throws `invalid_request`
 * without a terminal.
 */
export async function confirmEnrichment(
  client: Client,
  parts: EnrichedParts,
  context: CommandContext,
): Promise<boolean> {
  const { output, interruption } = context;
  const sum = await estimateAll(client, parts, context);
  if (interruption.stop.aborted) return false;
  output.note(sentence(sum, parts.names.some(isUrl)));
  if (parts.isConfirmed || sum.calls === 0) return true;
  const answers = lineInput({
    input: process.stdin,
    echo: process.stderr,
    onInterrupt: () => false,
    stop: interruption.stop,
  });
  try {
    if (!answers.isInteractive) {
      throw new ServiceError('invalid_request', 'Confirmation needs a terminal; give --yes to confirm.');
    }
    const answer = await answers.next('Continue? [y/N] ');
    return /^\s*(y|yes)\s*$/i.test(answer ?? '');
  } finally {
    answers.close();
  }
}

interface EstimateTotal {
  files: number;
  model: string | undefined;
  chunks: number;
  known: number;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
}

async function estimateAll(
  client: Client,
  { names, options }: EnrichedParts,
  { output }: CommandContext,
): Promise<EstimateTotal> {
  const sum: EstimateTotal = {
    files: 0,
    model: undefined,
    chunks: 0,
    known: 0,
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
  };
  const add = ({ model, chunks, known_chunks, calls, input_tokens, output_tokens, cost_usd }: EnrichmentEstimate) => {
    sum.model = model;
    sum.chunks += chunks;
    sum.known += known_chunks;
    sum.calls += calls;
    sum.inputTokens += input_tokens;
    sum.outputTokens += output_tokens;
    sum.cost = sum.cost === null || cost_usd === null ? null : sum.cost + cost_usd;
  };
  const counting: Client = {
    ...client,
    async ingest(item, signal) {
      const estimate = await client.estimate({ ...item, isEnriched: true }, signal);
      if (estimate !== null) add(estimate);
      return { outcome: 'unchanged', documentId: null };
    },
  };
  const files = names.filter((name) => !isUrl(name));
  for await (const step of ingestAll(files, { ...options, client: counting })) {
    if (step.type !== 'result') continue;
    sum.files += 1;
    output.status(`Estimating: ${counted(sum.files, 'file')}, ${counted(sum.calls, 'call')}`);
  }
  output.status('');
  return sum;
}

function sentence(
  { files, model, chunks, known, calls, inputTokens, outputTokens, cost }: EstimateTotal,
  hasPages: boolean,
): string {
  const pages = hasPages ? ' Web pages are not included.' : '';
  if (calls === 0) return `No model calls are needed for ${counted(files, 'file')}.${pages}`;
  const price = cost === null ? 'cost unknown (CITEWELL_PRICES)' : aboutDollars(cost);
  const before = known === 0 ? '' : `, ${count(known)} of them already`;
  return (
    `${model} will write contexts for ${counted(chunks, 'passage')} of ${counted(files, 'file')}${before}: ${counted(calls, 'call')}, ` +
    `about ${count(inputTokens)} tokens in and ${count(outputTokens)} out, ${price}.${pages}`
  );
}
