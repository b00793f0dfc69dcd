import { z } from 'zod';
import { withinTags } from '../../src/shared/within-tags.ts';
import { askReasoningModel, usageRecord } from '../../src/toolbox/ask-model.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { promptsOf } from '../../src/toolbox/tool-context.ts';

export const reasoning = defineTool({
  name: 'reasoning',
  title: 'Think through a problem',
  description:
    'Give a hard problem to a dedicated reasoning model: comparison, deduction, planning, quantitative estimates. It does not see the conversation, so state the whole problem and pass what was found as context. The text is sent to the configured model provider. Returns the conclusion with steps, assumptions and confidence.',
  input: z.object({
    query: z.string().trim().min(1).max(20_000).describe('The complete problem'),
    context: z.string().max(60_000).optional().describe('Facts and passages to reason over'),
    effort: z.enum(['low', 'medium', 'high']).default('high').describe('Reasoning effort'),
  }),
  output: z.object({
    answer: z.string(),
    truncated: z.boolean(),
    model: z.string(),
    usage: z.record(z.string(), z.number()),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
  needs: ['reasoner'],
  deadline: 180_000,

  async execute(input, context) {
    const material =
      input.context === undefined ? '' : `\n\n<material>\n${withinTags(input.context, 'material')}\n</material>`;
    const reply = await askReasoningModel(
      context,
      [
        { role: 'system', text: promptsOf(context).fill('reasoning') },
        { role: 'user', text: `${input.query}${material}` },
      ],
      { reasoningEffort: input.effort, maxTokens: 16_000 },
    );
    const truncated = reply.reason === 'length';
    return {
      text: truncated ? `${reply.text}\n\n(The reply was cut at its length limit.)` : reply.text,
      structured: { answer: reply.text, truncated, model: reply.model, usage: usageRecord(reply.usage) },
    };
  },
});
