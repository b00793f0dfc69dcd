/** URL of a document: its web source or its page here. Never empty, because ChatGPT then makes no citation. */
export const addressOf = (id: string, source: string | null): string =>
  source !== null && /^https?:/.test(source) ? source : `kb://documents/${id}`;
