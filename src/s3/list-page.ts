import { percentDecoded } from '../shared/text.ts';
import { readXml, textOf, type XmlElement } from './xml-element.ts';

export interface S3Object {
  readonly key: string;
  /** Without quotation marks; empty if the service gives none. */
  readonly etag: string;
  readonly size: number;
  /** ISO 8601; empty if the service gives none. */
  readonly modified: string;
}

/** A page of ListObjectsV2. */
export interface ListPage {
  readonly objects: readonly S3Object[];
  /** Continuation token of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Undefined if the answer is no complete page, which must not be mistaken for an empty one. */
export function readListPage(xml: string): ListPage | undefined {
  const root = readXml(xml);
  if (root?.name !== 'ListBucketResult') return undefined;
  const next = textOf(root, 'NextContinuationToken');
  switch (textOf(root, 'IsTruncated')) {
    case 'false':
      return { objects: objectsIn(root), next: undefined };
    case 'true':
      return next === '' ? undefined : { objects: objectsIn(root), next };
    default:
      return undefined;
  }
}

function objectsIn(root: XmlElement): S3Object[] {
  const isEncoded = textOf(root, 'EncodingType') === 'url';
  return root.children
    .filter(({ name }) => name === 'Contents')
    .map((entry) => ({
      key: isEncoded ? percentDecoded(textOf(entry, 'Key').replaceAll('+', ' ')) : textOf(entry, 'Key'),
      etag: textOf(entry, 'ETag').replaceAll('"', ''),
      size: Number(textOf(entry, 'Size')),
      modified: textOf(entry, 'LastModified'),
    }));
}
