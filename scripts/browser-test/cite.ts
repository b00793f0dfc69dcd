/** A quotation in an answer. */
export interface Citation {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Address of the source view with the quotation marked. */
  readonly url: string;
}

interface Answer {
  readonly results: { readonly citations: readonly { readonly payload: { readonly quotes: readonly Citation[] } }[] };
}

/** The first quotation of an answer over one document. */
export async function cite(url: string, documentId: string, query: string): Promise<Citation> {
  const response = await fetch(`${url}/v3/retrieval/rag`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, search_settings: { filters: { document_id: { $eq: documentId } } } }),
  });
  if (!response.ok) throw new Error(`The answer failed: ${await response.text()}`);
  const { results } = (await response.json()) as Answer;
  const [quote] = results.citations[0]?.payload.quotes ?? [];
  if (quote === undefined) throw new Error(`Nothing is quoted: ${JSON.stringify(results)}`);
  return quote;
}
