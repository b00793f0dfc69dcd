import { newId } from '../../documents/ids.ts';
import { ServiceError } from '../../errors.ts';
import { waitUntil } from '../../shared/wait-until.ts';
import type { RemoteNetwork, SourceConnector } from '../../sources/connector.ts';
import { sourceKind } from '../../sources/kinds.ts';
import type { McpServers } from '../../sources/mcp/mcp-servers.ts';
import type { FollowedSourceRecords } from '../../store/followed-sources.ts';
import type { SecretBox } from '../../store/secrets/secret-box.ts';
import type { UserRecords } from '../../store/user-records.ts';
import { type Followed, markStopped, startTally } from './followed.ts';
import { requireOwnerRights } from './require-owner-rights.ts';
import { openCredentials } from './source-credentials.ts';
import { type SourceTargetParts, sourceTarget } from './source-target.ts';

export interface FollowRemoteParts extends SourceTargetParts {
  readonly records: FollowedSourceRecords;
  readonly users: Pick<UserRecords, 'get'>;
  /** Maximum size in bytes; larger files are not read. */
  readonly maxFileBytes?: number | undefined;
  /** Network access for connectors; undefined without web access. */
  readonly network?: RemoteNetwork | undefined;
  /** MCP servers whose resources may be followed. */
  readonly mcp?: McpServers | undefined;
  /** Encrypts credentials; undefined if none can be stored. */
  readonly secrets?: SecretBox | undefined;
  readonly report: (message: string, cause: unknown) => void;
}

/** Synchronises a remote source, and again by its schedule until the signal aborts. */
export async function followRemote(entry: Followed, parts: FollowRemoteParts, signal: AbortSignal): Promise<void> {
  let isScheduled = entry.isScheduled;
  entry.isScheduled = false;
  if (isScheduled) await untilDue(entry, signal);
  while (!signal.aborted) {
    await syncOnce(entry, parts, { isFull: !isScheduled, signal });
    isScheduled = true;
    const { location } = entry.source;
    if (signal.aborted || location.kind !== 'remote' || location.everyMinutes === null) return;
    await waitUntil(Date.now() + location.everyMinutes * 60_000, signal);
  }
}

async function untilDue(entry: Followed, signal: AbortSignal): Promise<void> {
  const { location, lastSync } = entry.source;
  if (location.kind !== 'remote' || location.everyMinutes === null || !lastSync?.endedAt) return;
  entry.state = lastSync.problem === undefined ? 'idle' : 'stopped';
  entry.problem = lastSync.problem;
  await waitUntil(Date.parse(lastSync.endedAt) + location.everyMinutes * 60_000, signal);
}

async function syncOnce(
  entry: Followed,
  parts: FollowRemoteParts,
  { isFull, signal }: { readonly isFull: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { id, location } = entry.source;
  if (location.kind !== 'remote') return;
  const { records, users, maxFileBytes: maxBytes, network, mcp, secrets, report } = parts;
  entry.state = 'syncing';
  entry.problem = undefined;
  const tally = startTally(entry, records);
  await tally.save();
  let connector: SourceConnector | undefined;
  try {
    if (network === undefined) throw new ServiceError('not_configured', 'This service has no web access.');
    await requireOwnerRights(entry.source, users);
    const given = await openCredentials(secrets, entry.source);
    const kind = sourceKind(location.type);
    connector = await kind.open(location.settings as never, given as never, { network, mcp });
    const { syncRemote } = await import('./sync-remote.ts');
    const { isNamedLikeSupported, maxBytesByName } = await import('../folders/supported-files.ts');
    for await (const step of syncRemote({
      id,
      pass: newId(),
      connector,
      records,
      target: sourceTarget(entry.source, parts),
      isFull,
      signal,
      keepDeleted: location.keepDeleted,
      maxBytesOf: maxBytes === undefined ? maxBytesByName : () => maxBytes,
      isSupported: isNamedLikeSupported,
      onListed: tally.addListed,
    })) {
      if (step.outcome === 'kept') entry.problem = step.reason;
      tally.addRemote(step);
    }
    tally.end();
    entry.state = 'idle';
  } catch (error) {
    if (!signal.aborted) {
      markStopped(entry, error);
      if (!(error instanceof ServiceError)) report(`The source ${location.address} could not be followed.`, error);
      tally.end();
    }
  } finally {
    await connector?.close?.().catch(() => undefined);
  }
  await tally.save();
}
