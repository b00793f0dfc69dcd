import { rememberedModel } from '../../models.ts';

/** URL parameters of the Ask view. */
export interface AskParameters {
  readonly ask: string;
  readonly kind: AskKind;
  readonly conversation: string;
  readonly scope: Scope;
}

export const askKinds = ['answer', 'agent', 'research'] as const;
export type AskKind = (typeof askKinds)[number];

/** Documents and model for a question. Empty strings mean the default. */
export interface Scope {
  readonly collection: string;
  /** A metadata filter as JSON. */
  readonly filter: string;
  /** A date or an ISO-8601 time. */
  readonly asOf: string;
  readonly model: string;
  /** `1` shows the model's thinking. */
  readonly thinking: string;
}

export const noScope: Scope = { collection: '', filter: '', asOf: '', model: '', thinking: '' };

/** Thinking budget in tokens, for providers that require one. */
const THINKING_BUDGET = 4_000;

export function readAskParameters(query: URLSearchParams): AskParameters {
  const text = (name: string): string => query.get(name)?.trim() ?? '';
  return {
    ask: text('ask'),
    kind: askKinds.find((kind) => kind === text('kind')) ?? 'answer',
    conversation: text('conversation'),
    scope: {
      collection: text('collection'),
      filter: text('filter'),
      asOf: text('as_of'),
      model: text('model') || rememberedModel(),
      thinking: text('thinking'),
    },
  };
}

/** The filter as an object; undefined if empty. Throws if it is not a JSON object. */
export function readFilter(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return undefined;
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TypeError('no object');
}

export interface AskRequest {
  readonly path: '/v3/retrieval/rag' | '/v3/retrieval/agent';
  readonly body: Readonly<Record<string, unknown>>;
}

/** The request for a question. */
export function askRequest(question: string, { kind, conversation, scope }: Omit<AskParameters, 'ask'>): AskRequest {
  const { collection, asOf, model } = scope;
  const filter = readFilter(scope.filter);
  const conditions = [
    ...(collection === '' ? [] : [{ collection_ids: { $overlap: [collection] } }]),
    ...(filter === undefined ? [] : [filter]),
  ];
  const filters = conditions.length > 1 ? { $and: conditions } : conditions[0];
  const settings = { ...(filters && { filters }), ...(asOf !== '' && { as_of: asOf }) };
  const generation = {
    stream: true,
    ...(model !== '' && { model }),
    ...(scope.thinking !== '' && { extended_thinking: true, thinking_budget: THINKING_BUDGET }),
  };
  const common = {
    query: question,
    // The answer is completed and stored even if the page is left; Stop cancels it.
    resumable: true,
    ...(Object.keys(settings).length > 0 && { search_settings: settings }),
  };
  if (kind === 'answer') {
    const body = { ...common, rag_generation_config: generation, include_title_if_available: true };
    return { path: '/v3/retrieval/rag', body };
  }
  const isResearch = kind === 'research';
  return {
    path: '/v3/retrieval/agent',
    body: {
      ...common,
      mode: isResearch ? 'research' : 'rag',
      [isResearch ? 'research_generation_config' : 'rag_generation_config']: generation,
      ...(conversation !== '' && { conversation_id: conversation }),
    },
  };
}
