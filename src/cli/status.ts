import { describeWeb } from '../web/describe-web.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Backlog, Status } from './from-wire.ts';
import { table } from './layout.ts';
import { count, counted, duration } from './progress-line.ts';
import { sourcesLine } from './source-rows.ts';
import { withoutEmbedding } from './with-client.ts';

/** `citewell status`: what is stored, and which services respond. Exit code 1 if something configured does not. */
export function status(options: { readonly json?: boolean }, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  return withoutEmbedding(context, async (client) => {
    const current = await client.status();
    const code = current.problems.length === 0 ? exitCodes.ok : exitCodes.failure;
    if (options.json) {
      output.print(JSON.stringify({ server: client.server ?? null, ...current }));
      return code;
    }
    const { corpus } = current;
    const sources = await client.sources.list();
    const rows = [
      ['citewell', current.version],
      ['server', client.server ?? 'not running (citewell serve starts it)'],
      ['answers', current.model],
      ['embeddings', current.embedder],
      ...(current.embedder_reason === undefined ? [] : [['', current.embedder_reason]]),
      ...(current.web === undefined ? [] : [['web', describeWeb(current.web)]]),
      ['data', current.data],
      ...(current.database === undefined ? [] : [['database', current.database]]),
      ...(current.originals === undefined ? [] : [['files', `${current.originals.place}, ${current.originals.state}`]]),
      ...(current.processes ?? []).map((each, place) => [place === 0 ? 'processes' : '', processLine(each)]),
      ['index', `${current.index.kind}, ${current.index.state}`],
      ['documents', documentsLine(corpus)],
      ...(sources.length === 0 ? [] : [['sources', sourcesLine(sources)]]),
      ...(current.ingestion === undefined ? [] : [['backlog', backlogLine(current.ingestion)]]),
      ...(current.graph === undefined ? [] : [['graph', graphLine(current.graph)]]),
      [
        'passages',
        `${count(corpus.chunks)}${corpus.pending_index_writes > 0 ? `, ${count(corpus.pending_index_writes)} waiting for the index` : ''}`,
      ],
    ];
    for (const line of table(rows)) output.print(line);
    const isHint = (problem: string) => current.hints.includes(problem);
    for (const problem of current.problems.filter((each) => !isHint(each))) output.note(problem);
    for (const hint of current.hints) output.note(output.noteStyle('dim', hint));
    return code;
  });
}

function processLine({ role, name, version, leads, tasks }: NonNullable<Status['processes']>[number]): string {
  const parts = [`${role} ${name}`, `version ${version}`];
  if (tasks > 0) parts.push(`works on ${counted(tasks, 'document')}`);
  if (leads) parts.push('leads');
  return parts.join(', ');
}

function backlogLine({ queued, retrying, running, rate_per_second, eta_seconds }: Backlog): string {
  if (queued + running === 0) return 'empty';
  const parts = [`${count(queued + running)} to be ingested`];
  if (retrying > 0) parts.push(`${count(retrying)} of them waiting for a retry`);
  if (rate_per_second > 0) parts.push(`${rate_per_second.toFixed(1)}/s`);
  if (eta_seconds !== null) parts.push(`${duration(eta_seconds)} left`);
  return parts.join(', ');
}

function graphLine({ waiting, failed }: { readonly waiting: number; readonly failed: number }): string {
  const parts = [waiting === 0 ? 'up to date' : `${count(waiting)} to be extracted`];
  if (failed > 0) parts.push(`${count(failed)} failed`);
  return parts.join(', ');
}

function documentsLine({
  documents,
  failed,
  unfinished,
}: {
  documents: number;
  failed: number;
  unfinished: number;
}): string {
  const parts = [count(documents)];
  if (unfinished > 0) parts.push(`${count(unfinished)} unfinished`);
  if (failed > 0) parts.push(`${count(failed)} failed`);
  return parts.join(', ');
}
