import {
  chatReply,
  type OpenAiTurn,
  openAiError,
  responsesReply,
  startFakeOpenAi,
} from '../../test/support/fake-openai.ts';
import type { ReceivedRequest } from '../../test/support/fake-provider.ts';

/** The parts of a request that the script uses, from either of OpenAI's formats. */
interface Asked {
  /** The last user message. */
  readonly question: string;
  /** All text of the request, including instructions and sources. */
  readonly everything: string;
  readonly tools: readonly string[];
  /** Number of earlier tool calls. */
  readonly calls: number;
  readonly maxTokens: number;
}

const DEFAULT_MAX_TOKENS = 1_000;
const TOKENS_PER_WORD = 10;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const CAPITAL = 'Die Hauptstadt von Frankreich ist Paris.';

/**
 * A local server with OpenAI's API that answers by a script: it searches with the offered tool, then repeats the
 * question and cites the first source. It knows one capital, and obeys an instruction about the end of an answer.
 * Requests without JSON get 404 and are reported, so that a single one does not end the suite.
 */
export async function startScriptedModel(): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  const provider = await startFakeOpenAi();
  provider.otherwise((request) => {
    if (request.body === undefined) {
      const message = `The scripted model does not know ${request.method} ${request.path}.`;
      console.error(message);
      return openAiError(404, message);
    }
    const turn = turnFor(readRequest(request));
    return request.path.endsWith('/responses') ? responsesReply(turn) : chatReply(turn);
  });
  return provider;
}

function turnFor(asked: Asked): OpenAiTurn {
  const graph = graphOf(asked.question);
  if (graph !== undefined) return { text: graph };
  const call = callFor(asked);
  if (call !== undefined) return { toolCalls: [{ id: `call_${asked.calls}`, ...call }] };
  if (/capital of France/i.test(asked.question)) return { text: CAPITAL };
  const [, ending] = /End your answer with: (\S+)/.exec(asked.everything) ?? [];
  const length = Math.min(asked.maxTokens, DEFAULT_MAX_TOKENS) / TOKENS_PER_WORD;
  const padding = Array.from({ length }, (_, index) => `word${index}`).join(' ');
  const text = `This is about: ${asked.question.slice(0, 300)} [1]. ${padding}.`;
  return { text: ending === undefined ? text : `${text} ${ending}` };
}

/** The next tool that R2R's suite expects: one search, then the content of what it found. */
function callFor({ tools, calls, question, everything }: Asked): { name: string; arguments: string } | undefined {
  const search = ['search_file_knowledge', 'search_file_descriptions'].find((name) => tools.includes(name));
  if (calls === 0 && search !== undefined) return { name: search, arguments: JSON.stringify({ query: question }) };
  const isUnread = calls === 1 && search === 'search_file_descriptions' && tools.includes('get_file_content');
  if (!isUnread) return undefined;
  const [id] = UUID.exec(everything.slice(everything.lastIndexOf('"role":"tool"'))) ?? [];
  return { name: 'get_file_content', arguments: JSON.stringify({ document_id: id ?? '' }) };
}

/** A graph extraction: the first two long words of the first chunk as entities, with a relationship. */
function graphOf(question: string): string | undefined {
  if (!question.startsWith('{"document":')) return undefined;
  const { passages } = JSON.parse(question) as { readonly passages: readonly { readonly text: string }[] };
  const quote = passages[0]?.text.split(/(?<=\.)\s/)[0] ?? '';
  const [subject = '', object = ''] = new Set(quote.match(/\p{L}{5,}/gu) ?? []);
  const entity = (name: string) => ({ name, as_written: name, category: 'concept', description: quote });
  const relationship = { subject, predicate: 'goes_before', object, description: quote, passage: 1, quote };
  return JSON.stringify({ entities: [entity(subject), entity(object)], relationships: [relationship] });
}

interface SentMessage {
  readonly role?: string;
  readonly type?: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly tool_calls?: readonly unknown[];
}

function readRequest({ body }: ReceivedRequest): Asked {
  const messages: readonly SentMessage[] = body.messages ?? body.input ?? [];
  const tools: readonly { readonly name?: string; readonly function?: { readonly name: string } }[] = body.tools ?? [];
  return {
    question: textOf(messages.findLast(({ role }) => role === 'user')),
    everything: `${body.instructions ?? ''}${messages.map((message) => `"role":"${message.role ?? 'tool'}" ${textOf(message) || JSON.stringify(message)}`).join('\n')}`,
    tools: tools.map((tool) => tool.function?.name ?? tool.name ?? ''),
    calls: messages.reduce(
      (sum, { type, tool_calls: calls }) => sum + (calls?.length ?? 0) + Number(type === 'function_call'),
      0,
    ),
    maxTokens: body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? DEFAULT_MAX_TOKENS,
  };
}

function textOf(message: SentMessage | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}
