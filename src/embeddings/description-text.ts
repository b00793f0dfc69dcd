/** The text that is embedded for a document: its title and summary. */
export const descriptionText = ({
  title,
  summary,
}: {
  readonly title: string;
  readonly summary: string | null;
}): string =>
  [title === 'N/A' ? '' : title.replace(/\.[a-z\d]{1,5}$/i, ''), summary].filter(Boolean).join('\n') || title;
