import { z } from 'zod';
import type { Message } from '../../src/models/message.ts';
import { withinTags } from '../../src/shared/within-tags.ts';
import { askReasoningModel, usageRecord } from '../../src/toolbox/ask-model.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { promptsOf } from '../../src/toolbox/tool-context.ts';

/** Maximum characters of the transcript that are reviewed, counted from its end. */
const MAX_CHARACTERS = 60_000;

const review = z.object({
  verdict: z.enum(['sound', 'minor_issues', 'major_issues', 'unstructured']),
  summary: z.string(),
  issues: z
    .array(
      z.object({
        severity: z.enum(['low', 'medium', 'high']).catch('medium'),
        type: z.string().catch('facts'),
        quote: z.string().catch(''),
        explanation: z.string(),
        suggestion: z.string().catch(''),
      }),
    )
    .catch([]),
  unsupported_claims: z.array(z.string()).catch([]),
});
type Review = z.infer<typeof review>;

export const critique = defineTool({
  name: 'critique',
  title: 'Review an argument',
  description:
    'Have a dedicated model review the conversation so far, or a given text, for wrong facts, weak logic, bias, gaps and citations that do not support their claim. The text is sent to the configured model provider. Returns a verdict and a list of issues with suggestions. Use it before giving an important answer.',
  input: z.object({
    query: z.string().trim().max(4000).optional().describe('What to focus on'),
    text: z.string().max(60_000).optional().describe('The text to review (default: the conversation so far)'),
    focus_areas: z
      .array(z.string().max(200))
      .max(10)
      .default([])
      .describe('E.g. facts, logic, bias, coverage, citations'),
  }),
  output: review.extend({ model: z.string(), usage: z.record(z.string(), z.number()) }),
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
  needs: ['reasoner'],
  deadline: 180_000,

  async execute(input, context) {
    const subject = input.text ?? renderTranscript(context.transcript);
    const options = [
      ...(input.query === undefined || input.query === '' ? [] : [`Look at this in particular: ${input.query}`]),
      ...(input.focus_areas.length === 0 ? [] : [`Focus on: ${input.focus_areas.join(', ')}.`]),
    ];
    const reply = await askReasoningModel(
      context,
      [
        { role: 'system', text: promptsOf(context).fill('critique') },
        {
          role: 'user',
          text: [...options, `<transcript>\n${withinTags(subject, 'transcript')}\n</transcript>`].join('\n\n'),
        },
      ],
      { reasoningEffort: 'high', maxTokens: 8000 },
    );
    const found = readReview(reply.text);
    return {
      text: renderReview(found),
      structured: { ...found, model: reply.model, usage: usageRecord(reply.usage) },
    };
  },
});

/** Parses the review; a reply that is not the expected JSON becomes the summary of an `unstructured` review. */
function readReview(text: string): Review {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  try {
    return review.parse(JSON.parse(json));
  } catch {
    return { verdict: 'unstructured', summary: text, issues: [], unsupported_claims: [] };
  }
}

function renderReview({ verdict, summary, issues, unsupported_claims }: Review): string {
  return [
    `Verdict: ${verdict}. ${summary}`,
    ...issues.map(
      (issue, index) =>
        `${index + 1}. (${issue.severity}, ${issue.type}) ${issue.explanation}${
          issue.quote === '' ? '' : ` — about: "${issue.quote}"`
        }${issue.suggestion === '' ? '' : ` Suggestion: ${issue.suggestion}`}`,
    ),
    ...unsupported_claims.map((claim) => `Unsupported: ${claim}`),
  ].join('\n');
}

function renderTranscript(transcript: readonly Message[]): string {
  const text = transcript
    .filter((message) => message.role !== 'system')
    .map((message) => {
      const calls =
        message.role === 'assistant' && message.toolCalls !== undefined
          ? message.toolCalls.map((call) => `\n(calls ${call.name} ${JSON.stringify(call.arguments)})`).join('')
          : '';
      return `${message.role === 'tool' ? `result of ${message.name}` : message.role}: ${message.text}${calls}`;
    })
    .join('\n\n');
  return text.length <= MAX_CHARACTERS ? text : `(earlier part left out)\n${text.slice(-MAX_CHARACTERS)}`;
}
