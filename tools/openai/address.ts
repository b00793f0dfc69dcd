/** Where a document can be looked at: its page on the web, or its address here. Never empty, or no citation is made. */
export const addressOf = (id: string, source: string | null): string =>
  source !== null && /^https?:/.test(source) ? source : `kb://documents/${id}`;
