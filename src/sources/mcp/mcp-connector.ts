import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { percentDecoded, withoutFinalSlashes } from '../../shared/text.ts';
import type { Listed, ReadOptions, RemoteContent, RemoteItem, SourceConnector } from '../connector.ts';
import { withRetries } from '../with-retries.ts';
import type { McpConnection, McpContent, McpResource } from './mcp-servers.ts';

export interface McpSource {
  readonly address: string;
  readonly connection: McpConnection;
}

const MAX_PAGES = 10_000;
const MAX_TITLE = 300;

/**
 * Every listing is complete, because MCP cannot list changes. A resource without a modification time gets a new version
 * in each listing, so that it is read every time and compared by content. Resource templates are not listed.
 */
export function createMcpConnector({ address, connection }: McpSource): SourceConnector {
  async function* list(_: string | undefined, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const unknown = `not said (${randomUUID()})`;
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let page = 1; ; page++) {
      const at = cursor;
      const { resources, next } = await withRetries(() => connection.list(at, signal), signal);
      for (const resource of resources) yield toItem(resource, address, unknown);
      if (next === undefined) break;
      if (seen.has(next) || page === MAX_PAGES) {
        throw new ServiceError('provider_failed', 'The MCP server lists its resources without an end.');
      }
      seen.add(next);
      cursor = next;
    }
    yield { kind: 'end', covers: 'all' };
  }

  async function read(item: RemoteItem, { maxBytes, signal }: ReadOptions): Promise<RemoteContent> {
    const parts = await connection.read(item.key, signal);
    // A server may return several contents, for example the files of a folder; prefer the one with the requested URI.
    const own = parts.filter(({ uri }) => uri === item.key);
    const contents = own.length > 0 ? own : parts;
    const [first, ...others] = contents;
    if (first === undefined) throw new ServiceError('not_found', 'The MCP server has no content for it.');
    if (others.length > 0 && contents.some((part) => 'blob' in part)) {
      throw new ServiceError('invalid_request', 'It has several parts that are not text, which cannot be read as one.');
    }
    const bytes = 'blob' in first ? fromBase64(first.blob) : new TextEncoder().encode(textOf(contents));
    if (bytes.byteLength > maxBytes) {
      throw new ServiceError(
        'too_large',
        `It has ${byteCount(bytes.byteLength)}; at most ${byteCount(maxBytes)} are read (CITEWELL_MAX_FILE_MB).`,
      );
    }
    const mediaType = mediaTypeOf(first, item.fileName);
    return { bytes, ...(mediaType !== undefined && { mediaType }) };
  }

  return { list, read, close: connection.close };
}

function toItem({ uri, name, ...details }: McpResource, address: string, unknown: string): RemoteItem {
  const time = details.lastModified === undefined ? Number.NaN : Date.parse(details.lastModified);
  const isDated = Number.isFinite(time);
  const size =
    details.size !== undefined && Number.isSafeInteger(details.size) && details.size >= 0 ? details.size : undefined;
  const title = oneLine(details.title ?? name);
  return {
    kind: 'item',
    key: uri,
    version: isDated ? `${details.lastModified} ${size ?? ''}`.trim() : unknown,
    uri: `${address}/${encodeURIComponent(uri.toWellFormed())}`,
    fileName: fileNameOf(uri, details.mimeType),
    ...(size !== undefined && { size }),
    ...(title !== '' && { title }),
    ...(isDated && { modified: new Date(time).toISOString() }),
    ...(/^https?:\/\//i.test(uri) && URL.canParse(uri) && { link: uri }),
  };
}

const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_TITLE);

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['text/markdown', 'md'],
  ['text/plain', 'txt'],
  ['text/html', 'html'],
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['application/pdf', 'pdf'],
]);

/** The last part of the URI, with an extension derived from the media type if it has none. */
function fileNameOf(uri: string, mimeType: string | undefined): string {
  const path = withoutFinalSlashes(uri.replace(/[?#].*$/s, ''));
  const last = percentDecoded(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1));
  const name =
    last
      .toWellFormed()
      .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
      .trim()
      .slice(-120) || 'resource';
  if (/\.[A-Za-z][A-Za-z0-9]{0,5}$/.test(name)) return name;
  const extension = EXTENSIONS.get(plainType(mimeType) ?? '');
  // Without a known type, the format is detected from the content; remove dots, so that "v1.2" has no extension.
  return extension === undefined ? name.replaceAll('.', ' ') : `${name}.${extension}`;
}

const plainType = (mimeType: string | undefined): string | undefined =>
  mimeType?.split(';')[0]?.trim().toLowerCase() || undefined;

/** Servers often report `text/plain` for any text; then the file extension is more reliable. */
function mediaTypeOf(content: McpContent, fileName: string): string | undefined {
  const declared = plainType(content.mimeType);
  const isVague = declared === undefined || declared === 'text/plain' || declared === 'application/octet-stream';
  if (!isVague) return declared;
  return 'text' in content && !fileName.includes('.') ? 'text/plain' : undefined;
}

const textOf = (contents: readonly McpContent[]): string =>
  contents.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n\n');

function fromBase64(blob: string): Uint8Array {
  const bytes = Buffer.from(blob, 'base64');
  // Buffer silently skips invalid base64, so check the length; otherwise truncated content would be ingested.
  if (Math.abs(bytes.byteLength - (blob.replaceAll(/[=\s]/g, '').length * 3) / 4) >= 1) {
    throw new ServiceError('invalid_request', 'The MCP server sent content that is not base64.');
  }
  return bytes;
}
