import { z } from 'zod';
import { sourceAddress } from '../../src/citations/source-address.ts';
import { ServiceError } from '../../src/errors.ts';
import { shortLine, wholeCharacterEnd } from '../../src/shared/text.ts';
import { type CitedQuote, citedQuote, quoteLine, verdictField } from '../../src/toolbox/cited-quote.ts';
import { maxCharacters } from '../../src/toolbox/fields.ts';
import { RESERVED_FOR_LINES } from '../../src/toolbox/render-blocks.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ResearchState } from '../../src/toolbox/tool-ports.ts';
import { requireResearch } from './research-service.ts';

const MAX_STEPS_SHOWN = 10;

export const researchResult = defineTool({
  name: 'research_result',
  title: 'Get a research result',
  description:
    'Show the progress of research that research_start began, and its answer with sources once it has ended. With wait_seconds it returns as soon as the research ends, or when that time is up. cancel=true ends it. Results are kept for some minutes.',
  input: z.object({
    research_id: z.string().trim().min(8).max(64).describe('The research_id that research_start returned'),
    wait_seconds: z
      .number()
      .min(0)
      .max(25)
      .default(0)
      .describe('Seconds to wait for the research to end (0 to 25, default 0)'),
    offset: z.number().int().min(0).default(0).describe('Character offset of the answer to start at (default 0)'),
    max_chars: maxCharacters(12_000),
    cancel: z.boolean().default(false).describe('true ends the research'),
  }),
  output: z.object({
    research_id: z.string(),
    query: z.string(),
    status: z.string(),
    steps: z.array(z.string()),
    answer: z.string().optional(),
    offset: z.number().int().optional(),
    total_chars: z.number().int().optional(),
    next_offset: z.number().int().optional(),
    citations: z
      .array(
        z.object({
          marker: z.string(),
          title: z.string(),
          uri: z.string(),
          document_id: z.string().optional(),
          document_type: z.string().optional(),
          verdict: verdictField,
          quotes: z.array(citedQuote),
          link: z.string().optional().describe('The page of the document with the quotes marked'),
        }),
      )
      .optional(),
    unsupported_sentences: z.array(z.string()).optional(),
    model: z.string().optional(),
    conversation_id: z.string().optional(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  needs: ['research'],
  deadline: 35_000,

  async execute(input, context) {
    const service = requireResearch(context);
    const state = input.cancel
      ? await service.cancel(input.research_id)
      : await service.read(input.research_id, input.wait_seconds * 1000, context.signal);
    if (state.status === 'failed') {
      throw new ServiceError('provider_failed', `The research failed: ${state.failure ?? 'the reason is not known'}.`);
    }
    const steps = state.steps.slice(-MAX_STEPS_SHOWN);
    const common = { research_id: state.id, query: state.question, status: state.status, steps };
    const { answer } = state;
    if (answer === undefined) return { text: statusLine(state, steps), structured: common };

    if (input.offset > answer.text.length) {
      throw new ServiceError(
        'invalid_request',
        `The answer has ${answer.text.length} characters; the offset is past its end.`,
      );
    }
    const linkOf = (id: string | undefined, quotes: readonly CitedQuote[]): string | undefined =>
      id === undefined || context.pageOrigin === undefined
        ? undefined
        : `${context.pageOrigin}${sourceAddress(id, { quotes })}`;
    const sources = answer.sources.map(({ marker, title, uri, documentId, documentType, verdict, quotes }) => {
      const place = documentId === undefined ? uri : `document_id ${documentId}`;
      const link = linkOf(documentId, quotes);
      return `${marker} ${shortLine(title)} · ${place}${quoteLine({ documentType, verdict, quotes })}${link === undefined ? '' : ` · ${link}`}`;
    });
    const unsupported = answer.unsupported.map((sentence) => `- ${shortLine(sentence, 300)}`);
    const warning = unsupported.length === 0 ? '' : `\n\nNot supported by any source:\n${unsupported.join('\n')}`;
    const list = `${sources.length === 0 ? '' : `\n\nSources:\n${sources.join('\n')}`}${warning}`;
    const available = Math.min(input.max_chars, context.maxCharacters) - RESERVED_FOR_LINES - list.length;
    const end = wholeCharacterEnd(answer.text, input.offset + Math.max(available, RESERVED_FOR_LINES));
    const text = answer.text.slice(input.offset, end);
    const more =
      end < answer.text.length ? `\n\nMore: call research_result with research_id="${state.id}", offset=${end}.` : '';
    return {
      text: `${text}${more}${list}`,
      structured: {
        ...common,
        answer: text,
        offset: input.offset,
        total_chars: answer.text.length,
        ...(end < answer.text.length ? { next_offset: end } : {}),
        citations: answer.sources.map(({ marker, title, uri, documentId, documentType, verdict, quotes }) => {
          const link = linkOf(documentId, quotes);
          return {
            verdict,
            quotes: [...quotes],
            marker,
            title,
            uri,
            ...(documentId === undefined ? {} : { document_id: documentId }),
            ...(documentType === undefined ? {} : { document_type: documentType }),
            ...(link === undefined ? {} : { link }),
          };
        }),
        unsupported_sentences: [...answer.unsupported],
        model: answer.model,
        conversation_id: answer.conversationId,
      },
    };
  },
});

function statusLine({ id, status }: ResearchState, steps: readonly string[]): string {
  const done = steps.length === 0 ? '' : `\nSo far:\n${steps.map((step) => `- ${step}`).join('\n')}`;
  if (status !== 'running') return `The research is ${status}.${done}`;
  return `The research is running.${done}\nTo check again: call research_result with research_id="${id}", wait_seconds=20.`;
}
