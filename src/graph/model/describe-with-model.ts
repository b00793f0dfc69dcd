import { z } from 'zod';
import { collectReply } from '../../models/collect-reply.ts';
import type { Model } from '../../models/model.ts';
import { builtInPrompts, type PromptTexts } from '../../prompts/prompt-texts.ts';
import { jsonOrUndefined } from '../../shared/text.ts';
import { describeCommunity } from '../describe-community.ts';
import type { CommunityGroup } from '../find-communities.ts';
import type { Community } from '../graph.ts';

const replySchema = z.object({
  name: z.string().trim().min(1).max(120),
  summary: z.string().trim().min(1).max(3_000),
  findings: z.array(z.string().trim().min(1).max(600)).max(20).catch([]),
  rating: z.coerce.number().min(1).max(10).optional().catch(undefined),
  rating_explanation: z.string().trim().max(600).optional().catch(undefined),
});

interface DescribingParts {
  readonly model: Model;
  readonly prompts?: PromptTexts;
}

const MAX_MEMBERS = 60;
const MAX_RELATIONSHIPS = 60;

/** Like `describeCommunity`, written by a model; falls back to the former when the reply cannot be parsed. */
export async function describeCommunityWithModel(
  group: CommunityGroup,
  { model, prompts = builtInPrompts }: DescribingParts,
  signal: AbortSignal,
): Promise<Community> {
  const own = describeCommunity(group);
  const data = {
    entities: group.members
      .slice(0, MAX_MEMBERS)
      .map(({ name, category, description }) => ({ name, category, description })),
    relationships: group.relationships
      .slice(0, MAX_RELATIONSHIPS)
      .map(({ subject, predicate, object, description }) => ({ subject, predicate, object, description })),
  };
  const messages = [
    { role: 'system', text: prompts.fill('graph_communities') },
    { role: 'user', text: JSON.stringify(data) },
  ] as const;
  const config = { temperature: 0, maxTokens: 1_500 };
  const { text } = await collectReply(model, { messages, tools: [], config, signal });
  const reply = readReply(text);
  if (reply === undefined) return own;
  return {
    ...own,
    name: reply.name,
    summary: reply.summary,
    findings: reply.findings.length > 0 ? reply.findings : own.findings,
    rating: reply.rating ?? own.rating,
    ratingExplanation: (reply.rating !== undefined && reply.rating_explanation) || own.ratingExplanation,
  };
}

function readReply(text: string): z.output<typeof replySchema> | undefined {
  return replySchema.safeParse(jsonOrUndefined(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).data;
}
