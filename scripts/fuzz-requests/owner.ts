import { member } from '../kill-test/api.ts';

/** A user whose document no other user may change; it must still be found at the end. */
export interface Owner {
  /** Whether a record belongs to the user. */
  owns(record: unknown): boolean;
  /** Describes in sentences what is wrong with the user's documents. */
  findProblems(): Promise<readonly string[]>;
}

export const PASSWORD = 'a long pass phrase';
/** Occurs in no other document. */
const PASSAGE = 'The quokkaberry ferments under glass for forty nights before it is bottled.';

/** Registers the user with the authenticated service and ingests the document. */
export async function createOwner(url: string): Promise<Owner> {
  const call = async (path: string, body?: unknown, token?: string): Promise<unknown> => {
    const response = await fetch(`${url}/v3${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`The request to ${path} was answered with ${response.status}: ${text.slice(0, 500)}`);
    return member(JSON.parse(text), 'results');
  };
  const email = 'keeper@example.org';
  const id = member(await call('/users', { email, password: PASSWORD }), 'id');
  const tokens = await call('/users/login', { username: email, password: PASSWORD });
  const token = String(member(member(tokens, 'access_token'), 'token'));
  const ingested = await call('/documents', { raw_text: PASSAGE, metadata: { title: 'Kept' } }, token);
  const documentId = member(ingested, 'document_id');

  return {
    owns: (record) =>
      ['id', 'owner_id', 'user_id', 'document_id'].some((name) => [id, documentId].includes(member(record, name))),
    async findProblems() {
      const legs = { full_text: { use_fulltext_search: true, use_semantic_search: false }, semantic: {} };
      const complaints: string[] = [];
      for (const [leg, search_settings] of Object.entries(legs)) {
        const found = await call('/retrieval/search', { query: 'quokkaberry under glass', search_settings }, token);
        const hits = member(found, 'chunk_search_results');
        const texts = (Array.isArray(hits) ? hits : []).map((hit) => member(hit, 'text'));
        if (!texts.includes(PASSAGE)) complaints.push(`The known passage is not found by ${leg} search.`);
      }
      return complaints;
    },
  };
}
