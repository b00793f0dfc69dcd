export interface EmbeddedPassage {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
  /** What a model wrote to place the passage. */
  readonly context?: string | null;
}

/** What an embedder is given for a passage: where it stands, then its words. The stored text stays without the former. */
export function embeddingText({ title, headingPath, text, context }: EmbeddedPassage): string {
  const named = title.replace(/\.[a-z\d]{1,5}$/i, '');
  const place = [named === 'N/A' ? '' : named, ...headingPath].filter((name) => name !== '' && !startsWith(text, name));
  return [place.filter((name, index) => place.indexOf(name) === index).join(' > '), context, text]
    .filter(Boolean)
    .join('\n');
}

/** A passage that begins with its heading needs not be told of it twice. */
const startsWith = (text: string, name: string): boolean => text.replace(/^[#\s]+/, '').startsWith(name);
