import { type Draft, textOf } from './draft.ts';

/** A response of the service, of any status. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The requests of the test, over plain HTTP. Each throws if the connection breaks; its outcome is then unknown. */
export interface Api {
  put(draft: Draft, replace: boolean): Promise<Answer>;
  remove(id: string): Promise<Answer>;
  restore(id: string, version: string): Promise<Answer>;
  tag(id: string, tag: number): Promise<Answer>;
  /** Returns the texts of the hits. */
  search(query: string, options: { readonly leg: Leg; readonly id?: string; readonly limit: number }): Promise<Texts>;
  /** Returns the texts of a document's chunks. */
  chunks(id: string): Promise<Texts>;
  health(): Promise<Answer>;
  status(): Promise<Answer>;
}

export type Leg = 'full_text' | 'semantic';

export interface Texts {
  readonly status: number;
  readonly texts: readonly string[];
}

const PATIENCE_MS = 120_000;

/** `address` is called for each request, because it changes with a restart. */
export function createApi(address: () => string): Api {
  const send = async (method: string, path: string, body?: FormData | object): Promise<Answer> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${address()}/v3${path}`, {
      method,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };

  return {
    put: (draft, replace) => send('POST', '/documents', toForm(draft, replace)),
    remove: (id) => send('DELETE', `/documents/${id}`),
    restore: (id, version) => send('POST', `/documents/${id}/versions/${version}/restore`),
    tag: (id, tag) => send('PATCH', `/documents/${id}/metadata`, [{ tag }]),
    async search(query, { leg, id, limit }) {
      const { status, body } = await send('POST', '/retrieval/search', {
        query,
        search_settings: {
          limit,
          use_semantic_search: leg === 'semantic',
          use_fulltext_search: leg === 'full_text',
          ...(id !== undefined && { filters: { document_id: { $eq: id } } }),
        },
      });
      const hits = status === 200 ? list(member(member(body, 'results'), 'chunk_search_results')) : [];
      return { status, texts: hits.map((hit) => String(member(hit, 'text'))) };
    },
    async chunks(id) {
      const { status, body } = await send('GET', `/documents/${id}/chunks?limit=1000`);
      const found = status === 200 ? list(member(body, 'results')) : [];
      return { status, texts: found.map((chunk) => String(member(chunk, 'text'))) };
    },
    health: () => send('GET', '/health'),
    status: () => send('GET', '/system/status'),
  };
}

function toForm(draft: Draft, replace: boolean): FormData {
  const form = new FormData();
  form.set('id', draft.id);
  form.set('metadata', JSON.stringify({ version_sent: draft.version }));
  if (replace) form.set('replace', 'true');
  switch (draft.form) {
    case 'text':
      form.set('raw_text', textOf(draft));
      break;
    case 'chunks':
      form.set('chunks', JSON.stringify(draft.paragraphs));
      break;
    case 'file':
      form.set('file', new Blob([textOf(draft)], { type: 'text/plain' }), `report-${draft.id}.txt`);
      break;
  }
  return form;
}

/** A field of a JSON value; undefined if it is no object or lacks the field. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
