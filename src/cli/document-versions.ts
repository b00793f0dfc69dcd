import { byteCount } from '../shared/byte-count.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { documentIdOf } from './find-document.ts';
import type { DeletionRecord, VersionRecord } from './from-wire.ts';
import { table, visibleLine } from './layout.ts';
import { count, counted } from './progress-line.ts';
import { withoutEmbedding } from './with-client.ts';

/** `citewell documents versions` */
export function listVersions(
  reference: string,
  options: { readonly limit: number; readonly offset: number; readonly json?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  return withoutEmbedding(context, async (client) => {
    const { versions, total } = await client.versions(await documentIdOf(reference, client), options);
    if (options.json) output.print(JSON.stringify({ total, versions }));
    else for (const line of table(versions.map(row))) output.print(line);
    if (!options.json && total > versions.length) output.note(`${count(versions.length)} of ${count(total)} versions.`);
    return exitCodes.ok;
  });
}

const row = (version: VersionRecord): string[] => [
  version.version,
  version.published_at,
  version.replaced_at === null ? 'now' : `until ${version.replaced_at}`,
  byteCount(version.size_in_bytes),
  version.retired === null ? visibleLine(version.title) : `no longer stored (deleted ${version.retired.at})`,
];

/** `citewell documents restore` */
export function restoreVersion(
  reference: string,
  version: string,
  options: { readonly json?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  return withoutEmbedding(context, async (client) => {
    const id = await documentIdOf(reference, client);
    const document = await client.restoreVersion(id, version);
    if (options.json) output.print(JSON.stringify(document));
    else output.print(`Restored ${version} of ${id}; it is now ${String(document['version'])}.`);
    return exitCodes.ok;
  });
}

/** What a deletion removed and whether a search confirmed it, in one or two lines. */
export function receiptLines(receipt: DeletionRecord): string[] {
  const { index, verified } = receipt;
  const removedParts = [
    counted(receipt.chunks + (receipt.past_chunks ?? 0), 'passage'),
    counted(receipt.vectors, 'vector'),
    counted(receipt.full_text_entries, 'full-text entry', 'full-text entries'),
    counted(receipt.files, 'file'),
    counted(receipt.versions ?? 0, 'earlier version'),
    counted(receipt.graph_rows ?? 0, 'graph entry', 'graph entries'),
  ];
  return [
    `  removed: ${removedParts.join(', ')}`,
    ...(index === undefined ? [] : [`  vector index: ${counted(index.removed, 'passage')}, ${index.state}`]),
    ...(verified === undefined ? [] : [`  verified by searching: ${PROOFS[`${verified}`]}`]),
  ];
}

const PROOFS = {
  true: 'searches no longer find it',
  false: 'SEARCHES STILL FIND IT; run "citewell doctor"',
  pending: 'not yet; the removal from the vector index is pending',
};
