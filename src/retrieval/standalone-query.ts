import { collectReply } from '../models/collect-reply.ts';
import type { Message } from '../models/message.ts';
import type { Model } from '../models/model.ts';
import { builtInPrompts, type PromptTexts } from '../prompts/prompt-texts.ts';
import { withinTags } from '../shared/within-tags.ts';
import { analyseQuery } from '../store/full-text/analyse.ts';

/** An earlier turn of the conversation. */
export interface EarlierTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
}

export interface FollowUp {
  readonly query: string;
  readonly earlier: readonly EarlierTurn[];
}

/** Rewrites a question of a conversation into a standalone query. Throws the model's errors. */
export interface StandaloneQueries {
  write(followUp: FollowUp, signal: AbortSignal): Promise<string>;
}

const MAX_TURNS = 6;
const MAX_TURN_LENGTH = 1_500;
const MAX_QUERY_LENGTH = 1_000;

/** Rewrites with a model; returns the question unchanged when the model's reply is unusable. */
export function modelStandaloneQueries(model: Model, prompts: PromptTexts = builtInPrompts): StandaloneQueries {
  return {
    async write({ query, earlier }, signal) {
      const turns = earlier.filter(({ role }) => role !== 'system').slice(-MAX_TURNS);
      const conversation = turns
        .map(({ role, text }) => `${role}: ${withinTags(text.slice(0, MAX_TURN_LENGTH), 'conversation')}`)
        .join('\n');
      const messages: Message[] = [
        { role: 'system', text: prompts.fill('standalone_query') },
        { role: 'user', text: `<conversation>\n${conversation}\n</conversation>\n\nLast message: ${query}` },
      ];
      const config = { temperature: 0, maxTokens: 300 };
      const { text } = await collectReply(model, { messages, tools: [], config, signal });
      const [line = ''] = text.trim().split('\n');
      const written = line.replace(/^["“](.*)["”]$/u, '$1').trim();
      return written === '' || written.length > MAX_QUERY_LENGTH ? query : written;
    },
  };
}

/**
 * Without a model: a question that depends on the conversation, by having hardly any content words or a pronoun in
 * place of a name, is searched together with the words of the previous question.
 */
export function withEarlierTerms({ query, earlier }: FollowUp): string {
  const before = earlier.findLast(({ role }) => role === 'user')?.text;
  if (before === undefined || !dependsOnContext(query)) return query;
  const own = new Set(analyseQuery(query));
  const candidates = (before.match(WORD) ?? []).filter((word) => !analyseQuery(word).some((term) => own.has(term)));
  const contentTerms = new Set(analyseQuery(candidates.join(' ')));
  const words = candidates.filter((word) => analyseQuery(word).some((term) => contentTerms.has(term)));
  return words.length === 0 ? query : `${query} ${words.slice(0, MAX_ADDED_WORDS).join(' ')}`;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_'’-]*/gu;
const MAX_ADDED_WORDS = 12;
/** Maximum number of content words of a question that depends on the conversation, without and with a pronoun. */
const MAX_TERMS_OF_FOLLOW_UP = 1;
const MAX_TERMS_WITH_PRONOUN = 3;

function dependsOnContext(query: string): boolean {
  const contentTerms = analyseQuery(query).length;
  return (
    contentTerms <= MAX_TERMS_OF_FOLLOW_UP || (contentTerms <= MAX_TERMS_WITH_PRONOUN && CONTEXT_DEPENDENT.test(query))
  );
}

// Pronouns that refer to an earlier name, and openings that continue a conversation.
const CONTEXT_DEPENDENT =
  /(?<![\p{L}\p{N}])(?:it|its|they|them|their|he|she|him|his|hers?|er|ihn|ihm|dessen|deren|davon|darüber|dort|ils?|elles?|celui-ci|celle-ci|ceux-ci|ello|ellos|ellas|он|она|они|его|её|их)(?![\p{L}\p{N}])|^\s*(?:and|but|or|what about|how about|und|aber|et|mais|y|e|а|и)\s/iu;
