/** What an embedder is given for a document: what it is called, and what it is about. */
export const descriptionText = ({
  title,
  summary,
}: {
  readonly title: string;
  readonly summary: string | null;
}): string =>
  [title === 'N/A' ? '' : title.replace(/\.[a-z\d]{1,5}$/i, ''), summary].filter(Boolean).join('\n') || title;
