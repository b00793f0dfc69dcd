import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import type { RemoteItem } from '../../sources/connector.ts';
import { withRetries } from '../../sources/with-retries.ts';
import type { SourceItem } from '../../store/followed-sources.ts';
import type { PassParts, RemoteStep, RemoteSyncParts } from './sync-parts.ts';

/** The outcome for an item, and the values to record for it. */
export interface ProcessedItem extends Pick<SourceItem, 'version'> {
  readonly step: RemoteStep;
  readonly duplicateOf?: string | null;
  /** Seconds to wait at least before a retry. */
  readonly retryAfter?: number | undefined;
}

/** Reads and ingests an item. Throws errors that concern the whole source. */
export async function processItem(
  item: RemoteItem,
  before: SourceItem | undefined,
  parts: PassParts,
): Promise<ProcessedItem> {
  const { key, version } = item;
  try {
    if (!parts.isSupported(item.fileName)) {
      await dropDocument(before, parts);
      return { step: { outcome: 'skipped', name: key, documentId: null }, version };
    }
    await moveDocument(item, before, parts);
    const step = await ingestItem(item, parts);
    const isChanged = step.outcome === 'replaced' || step.outcome === 'failed';
    if (isChanged && step.documentId !== null) await parts.release(step.documentId);
    if (step.outcome === 'duplicate') return { step, version, duplicateOf: step.documentId };
    return { step, version: step.outcome === 'failed' ? null : version };
  } catch (error) {
    if (parts.signal.aborted || !(error instanceof ServiceError) || concernsAll(error)) throw error;
    const reason = error.message;
    if (error.code === 'unsupported_type') {
      await dropDocument(before, parts);
      return { step: { outcome: 'skipped', name: key, documentId: null, reason }, version };
    }
    return {
      step: { outcome: 'failed', name: key, documentId: null, reason },
      version: null,
      retryAfter: error.retryAfter,
    };
  }
}

async function ingestItem(item: RemoteItem, { connector, target, maxBytesOf, signal }: RemoteSyncParts) {
  const { size, uri, title, link, modified, fileName } = item;
  const maxBytes = maxBytesOf(fileName);
  if (size !== undefined && size > maxBytes) {
    throw new ServiceError(
      'too_large',
      `It has ${byteCount(size)}; at most ${byteCount(maxBytes)} are read (CITEWELL_MAX_FILE_MB).`,
    );
  }
  const content = await withRetries(() => connector.read(item, { maxBytes, signal }), signal);
  const { outcome, documentId, reason } = await target.ingest(
    {
      source: uri,
      fileName: content.fileName ?? fileName,
      bytes: content.bytes,
      ...(content.mediaType !== undefined && { mediaType: content.mediaType }),
      metadata: {
        ...item.metadata,
        ...(title !== undefined && { title }),
        ...(link !== undefined && { link }),
        ...(modified !== undefined && { modified_at: modified }),
      },
      collections: [],
    },
    signal,
  );
  return { outcome, name: item.key, documentId, ...(reason !== undefined && { reason }) } satisfies RemoteStep;
}

const concernsAll = ({ code }: ServiceError): boolean =>
  ['unauthenticated', 'store_failed', 'embedding_mismatch', 'not_configured', 'cancelled', 'internal'].includes(code);

/** Deletes the document of an item whose type is no longer supported, unless `keepDeleted`. */
async function dropDocument(before: SourceItem | undefined, parts: PassParts): Promise<void> {
  const { target, keepDeleted } = parts;
  const document = before === undefined || keepDeleted ? undefined : await target.documentOf(before.uri);
  if (document === undefined) return;
  await target.deleteDocuments([document.id]);
  await parts.release(document.id);
}

/**
 * Moves the document of an item to the item's new URI. If a document exists there already, the old one is deleted,
 * unless `keepDeleted`.
 */
async function moveDocument(item: RemoteItem, before: SourceItem | undefined, parts: PassParts): Promise<void> {
  const { target, keepDeleted } = parts;
  if (before === undefined || before.uri === item.uri) return;
  const [document, other] = await Promise.all([target.documentOf(before.uri), target.documentOf(item.uri)]);
  if (document === undefined) return;
  if (other === undefined) await target.updateSource(document.id, { source: item.uri, fileName: item.fileName });
  else if (!keepDeleted) {
    await target.deleteDocuments([document.id]);
    await parts.release(document.id);
  }
}
