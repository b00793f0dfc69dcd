import { texts } from '../../texts.ts';
import type { Shown } from './source-data.ts';

/** Metadata of the document. */
export function DetailsTab({ shown: { document, newest } }: { readonly shown: Shown }) {
  const { details } = texts.source;
  const format = (at: string | null) => (at === null ? '' : new Date(at).toLocaleString());
  const rows: readonly (readonly [string, string])[] = [
    [details.id, document.id],
    [details.file, document.file_name],
    [details.type, document.media_type],
    [details.source, document.source ?? ''],
    [details.version, document.version === newest ? document.version : `${document.version} (${newest})`],
    [details.published, format(document.published_at)],
    [details.created, format(document.created_at)],
    [details.updated, format(document.updated_at)],
    [details.chunks, document.chunk_count.toLocaleString('en')],
    [details.hash, document.content_hash],
    [details.summary, document.summary ?? ''],
  ];
  const metadata = Object.entries(document.metadata).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  return (
    <div class="source-details">
      <Rows rows={rows} />
      {metadata.length > 0 && (
        <>
          <h2>{details.metadata}</h2>
          <Rows rows={metadata} />
        </>
      )}
    </div>
  );
}

function Rows({ rows }: { readonly rows: readonly (readonly [string, string])[] }) {
  return (
    <dl>
      {rows
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
