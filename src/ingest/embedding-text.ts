export interface EmbeddedChunk {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
  /** Context a model wrote for the chunk. */
  readonly context?: string | null;
}

/**
 * The text that is embedded for a chunk: title, headings and context, then the chunk's text. Only the latter is stored
 * as the text of the chunk.
 */
export function embeddingText({ title, headingPath, text, context }: EmbeddedChunk): string {
  const named = title.replace(/\.[a-z\d]{1,5}$/i, '');
  const place = [named === 'N/A' ? '' : named, ...headingPath].filter((name) => name !== '' && !startsWith(text, name));
  return [place.filter((name, index) => place.indexOf(name) === index).join(' > '), context, text]
    .filter(Boolean)
    .join('\n');
}

/** Whether the chunk begins with this name, which then is not repeated. */
const startsWith = (text: string, name: string): boolean => text.replace(/^[#\s]+/, '').startsWith(name);
