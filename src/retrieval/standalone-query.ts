import type { Message } from '../models/message.ts';
import type { Model } from '../models/model.ts';
import { builtInPrompts, type PromptTexts } from '../prompts/prompt-texts.ts';
import { analyseQuery } from '../store/full-text/analyse.ts';

/** What was said before the question, in order. */
export interface EarlierTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
}

export interface FollowUp {
  readonly query: string;
  readonly earlier: readonly EarlierTurn[];
}

/** Puts a question of a conversation so that it can be searched for by itself. Throws what a model throws. */
export interface StandaloneQueries {
  write(followUp: FollowUp, signal: AbortSignal): Promise<string>;
}

const TURNS = 6;
const LONGEST_TURN = 1_500;
const LONGEST_QUERY = 1_000;

/** Has a model put it; the question as it is when the model says nothing usable. */
export function modelStandaloneQueries(model: Model, prompts: PromptTexts = builtInPrompts): StandaloneQueries {
  return {
    async write({ query, earlier }, signal) {
      const turns = earlier.filter(({ role }) => role !== 'system').slice(-TURNS);
      const told = turns.map(({ role, text }) => `${role}: ${fenceSafe(text.slice(0, LONGEST_TURN))}`).join('\n');
      const messages: Message[] = [
        { role: 'system', text: prompts.fill('standalone_query') },
        { role: 'user', text: `<conversation>\n${told}\n</conversation>\n\nLast message: ${query}` },
      ];
      let answer = '';
      for await (const event of model.stream({
        messages,
        tools: [],
        config: { temperature: 0, maxTokens: 300 },
        signal,
      })) {
        if (event.type === 'text') answer += event.text;
      }
      const [line = ''] = answer.trim().split('\n');
      const written = line.replace(/^["“](.*)["”]$/u, '$1').trim();
      return written === '' || written.length > LONGEST_QUERY ? query : written;
    },
  };
}

const fenceSafe = (text: string): string => text.toWellFormed().replace(/<(?=\/?conversation\b)/gi, '‹');

/**
 * The same without a model: a question that leans on what was said, by having next to no words of its own or by a
 * pronoun in the place of a name, is searched with the words of the question before it.
 */
export function leanOnEarlier({ query, earlier }: FollowUp): string {
  const before = earlier.findLast(({ role }) => role === 'user')?.text;
  if (before === undefined || !leans(query)) return query;
  const own = new Set(analyseQuery(query));
  const lent = (before.match(WORD) ?? []).filter((word) => !analyseQuery(word).some((term) => own.has(term)));
  const telling = new Set(analyseQuery(lent.join(' ')));
  const words = lent.filter((word) => analyseQuery(word).some((term) => telling.has(term)));
  return words.length === 0 ? query : `${query} ${words.slice(0, MOST_LENT).join(' ')}`;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_'’-]*/gu;
const MOST_LENT = 12;
/** Words that tell something: with more of them, a question stands by itself, or does so in spite of a pronoun. */
const FEW = 1;
const FEW_BESIDE_PRONOUN = 3;

function leans(query: string): boolean {
  const telling = analyseQuery(query).length;
  return telling <= FEW || (telling <= FEW_BESIDE_PRONOUN && LEANING.test(query));
}

// What stands for a name said before, where such words mean nothing else; and beginnings that go on.
const LEANING =
  /(?<![\p{L}\p{N}])(?:it|its|they|them|their|he|she|him|his|hers?|er|ihn|ihm|dessen|deren|davon|darüber|dort|ils?|elles?|celui-ci|celle-ci|ceux-ci|ello|ellos|ellas|он|она|они|его|её|их)(?![\p{L}\p{N}])|^\s*(?:and|but|or|what about|how about|und|aber|et|mais|y|e|а|и)\s/iu;
