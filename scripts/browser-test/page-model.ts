import { chatReply, type OpenAiTurn, rateLimited, startFakeOpenAi } from '../../test/support/fake-openai.ts';
import type { Settings } from './server.ts';

/** An answer of the model. */
export interface ScriptedAnswer {
  readonly text: string;
  /** Pauses after this many words until the promise settles. */
  readonly pause?: { readonly after: number; readonly until: Promise<unknown> };
}

/** A numbered passage of the request. */
export interface GivenPassage {
  readonly number: number;
  readonly text: string;
}

export interface PageModel {
  /** The service's settings for this model. */
  readonly settings: Settings;
  /** Sets how the next requests are answered; an agent first gets one search call. */
  answers(answer: (passages: readonly GivenPassage[]) => ScriptedAnswer): void;
  /** Refuses the next request, with the time after which it may be repeated. */
  asksToWait(seconds: number): void;
  close(): Promise<void>;
}

/** Starts a local server with OpenAI's API that writes the given answers. */
export async function startPageModel(): Promise<PageModel> {
  const provider = await startFakeOpenAi();
  let answer: Parameters<PageModel['answers']>[0] = () => ({ text: 'Nothing is scripted.' });
  provider.otherwise(({ body }) => {
    const messages: readonly Message[] = body.messages;
    const everything = messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
    const question = messages.findLast(({ role }) => role === 'user')?.content;
    if (isSearchDue(messages, body.tools)) {
      const call = { id: 'call_1', name: SEARCH, arguments: JSON.stringify({ query: question }) };
      return reply({ toolCalls: [call] });
    }
    const { text, pause } = answer(passagesIn(everything));
    return reply({ text }, pause);
  });
  return {
    settings: {
      CITEWELL_PROVIDERS: `scripted=${provider.baseUrl}`,
      CITEWELL_MODEL: 'scripted/writer',
      CITEWELL_FAST_MODEL: 'scripted/writer',
      CITEWELL_REASONING_MODEL: 'scripted/writer',
      CITEWELL_SUMMARIES: 'extract',
    },
    answers(next) {
      answer = next;
    },
    asksToWait: (seconds) => provider.next(rateLimited(String(seconds))),
    close: provider.close,
  };
}

const SEARCH = 'search_file_knowledge';

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

function isSearchDue(messages: readonly Message[], tools: readonly object[] | undefined): boolean {
  return tools !== undefined && JSON.stringify(tools).includes(SEARCH) && messages.at(-1)?.role !== 'tool';
}

function reply(turn: OpenAiTurn, pause?: ScriptedAnswer['pause']) {
  const whole = chatReply({ ...turn, model: 'writer' });
  if (pause === undefined) return whole;
  // The first step only names the role.
  return { ...whole, steps: whole.steps.toSpliced(pause.after + 1, 0, { until: pause.until }) };
}

const passagesIn = (text: string): readonly GivenPassage[] =>
  [...text.matchAll(/^\[(\d+)\][^\n]*\n<passage>\n([\s\S]*?)\n<\/passage>/gm)].map(([, number, passage = '']) => ({
    number: Number(number),
    text: passage,
  }));
