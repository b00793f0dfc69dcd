/** A document whose file, or the file of one of its earlier versions, is missing in the storage. */
export interface MissingOriginal {
  readonly id: string;
  readonly title: string;
}

/** Result of comparing the records with the storage of the originals. */
export interface OriginalsFound {
  /** Files that the records refer to. */
  readonly files: number;
  readonly missing: readonly MissingOriginal[];
}

const NAMED = 5;

/** As `3 of 40 files are missing in s3://…: "Title" (id), …`. */
export function describeMissing({ files, missing }: OriginalsFound, place: string): string {
  const documents = [...new Map(missing.map((each) => [each.id, each])).values()];
  const named = documents.slice(0, NAMED).map(nameDocument);
  const more = documents.length > NAMED ? ` and ${documents.length - NAMED} more documents` : '';
  const are = missing.length === 1 ? 'is' : 'are';
  return `${missing.length} of ${files} files ${are} missing in ${place}: ${named.join(', ')}${more}`;
}

/** As `"Title" (id)`. */
export const nameDocument = ({ id, title }: MissingOriginal): string => `"${title}" (${id})`;

export const MISSING_REMEDY =
  'Bring the objects back from a version of the bucket or a copy of it, or delete these documents and upload them again.';
