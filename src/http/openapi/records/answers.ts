import { z } from 'zod';
import { documentRecord } from './document.ts';
import { graphHitMembers, hitMembers, searchResults, webMembers } from './search.ts';
import { id, ids, results } from './shared.ts';

const span = z
  .object({ start: z.int(), end: z.int() })
  .meta({ id: 'Span', description: 'UTF-16 offsets into the answer, end exclusive, brackets included.' });

const page = z.int().nullable();
const headingPath = z.array(z.string());
const url = z.string().exactOptional().describe('The page of the document with the quotes marked.');
const quote = z.object({ start: z.int(), end: z.int(), text: z.string(), page, heading_path: headingPath, url });
/** Place of the first quote, if there is one. */
const locationFields = { start: z.int().exactOptional(), end: z.int().optional(), page: page.optional() };
const backing = { ...locationFields, heading_path: headingPath.exactOptional(), url, quotes: z.array(quote) };

/** The record of the source (docs/contract.md 4.6) and its quotes. */
const payload = z
  .union([
    z.object({ ...hitMembers, ...backing, chunk_start: z.int(), chunk_end: z.int() }),
    z.object({ ...documentRecord.shape, ...backing }),
    z.object({ ...graphHitMembers, document_id: id.exactOptional(), chunk_id: id.exactOptional(), ...backing }),
    z.object({ ...webMembers, ...backing }),
  ])
  .meta({ id: 'CitationPayload', description: 'A passage, a document, a part of the graph or a page of the web.' });

const citationMembers = {
  id: z.string().describe('cit.N belongs to the marker [N].'),
  object: z.literal('citation'),
};
const finalMembers = {
  ...citationMembers,
  spans: z.array(span),
  source_type: z.enum(['chunk', 'graph', 'doc', 'web']),
  payload,
};
const single = { is_new: z.literal(true), span: z.null() };

const verdict = z.enum(['verbatim', 'close', 'elsewhere', 'not_found']);
const checkMembers = {
  verdict: verdict.describe('What the weakest check said.'),
  verdict_score: z.number(),
  checks: z.array(
    z.object({
      span,
      statement: z.string(),
      verdict,
      score: z.number(),
      found_in: z
        .object({
          document_id: id.exactOptional(),
          chunk_id: id.exactOptional(),
          graph_id: id.exactOptional(),
          chunk_ids: ids.exactOptional(),
          link: z.string().exactOptional(),
        })
        .exactOptional(),
    }),
  ),
};

const citation = z.object({ ...finalMembers, ...single }).meta({ id: 'Citation' });
const checkedCitation = z.object({ ...finalMembers, ...checkMembers, ...single }).meta({ id: 'CheckedCitation' });

export const finalCitation = z.object(finalMembers).meta({ id: 'FinalCitation' });
export const finalCheckedCitation = z.object({ ...finalMembers, ...checkMembers }).meta({ id: 'FinalCheckedCitation' });

export const mention = {
  ...citationMembers,
  is_new: z.boolean(),
  span,
  payload: payload.nullable().describe('With the first mention of a source alone.'),
};
export const verdictMembers = { verdict, verdict_score: z.number() };

export const tokenUsage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }),
    completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
  })
  .meta({ id: 'TokenUsage' });

const completionMembers = {
  id: z.string(),
  choices: z.array(
    z.object({
      finish_reason: z.string(),
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.null(),
        function_call: z.null(),
        tool_calls: z.null(),
        structured_content: z.null(),
      }),
    }),
  ),
  created: z.int(),
  model: z.string(),
  object: z.literal('chat.completion'),
  service_tier: z.null(),
  system_fingerprint: z.null(),
  usage: tokenUsage,
};

/** docs/contract.md 5.4. */
export const completion = results(z.object(completionMembers).meta({ id: 'Completion' }));

/** docs/contract.md 5.2. */
const ragMembers = {
  generated_answer: z.string(),
  search_results: searchResults,
  citations: z.array(citation),
};
export const support = z
  .enum(['answer', 'closest', 'none'])
  .exactOptional()
  .describe('Of an extractive answer: `closest` when the quotes are the nearest passages and may not answer.');

export const ragAnswer = z.object({
  results: z
    .object({
      ...ragMembers,
      metadata: z.object({ ...completionMembers, mode: z.string(), support, removed_markers: z.int() }),
      completion: z.string().meta({ deprecated: true }),
    })
    .meta({ id: 'RagAnswer' }),
  ...ragMembers,
});

export const usage = z
  .object({
    input_tokens: z.int(),
    cached_input_tokens: z.int(),
    output_tokens: z.int(),
    reasoning_tokens: z.int(),
    total_tokens: z.int(),
    steps: z.int(),
    seconds: z.number(),
    cost_usd: z.number().nullable().describe('Null where a model without a known price took part.'),
  })
  .meta({ id: 'RunUsage' });

export const outcome = {
  model: z.string(),
  mode: z.enum(['rag', 'research', 'extractive']),
  support,
  stop_reason: z.enum(['end', 'length', 'refusal', 'steps', 'tokens', 'time', 'money']),
  unsupported_sentences: z.array(z.object({ start: z.int(), end: z.int(), text: z.string() })),
  removed_markers: z.int(),
  usage,
};

/** docs/contract.md 5.3. */
const agentMembers = {
  generated_answer: z.string(),
  citations: z.array(checkedCitation),
  conversation_id: id,
};
export const agentAnswer = z.object({
  results: z
    .object({
      messages: z.array(
        z.object({
          role: z.literal('assistant'),
          content: z.string(),
          name: z.null(),
          function_call: z.null(),
          tool_calls: z.null(),
          tool_call_id: z.null(),
          metadata: z.object({
            citations: z.array(checkedCitation),
            tool_calls: z.array(z.object({ name: z.string(), args: z.string() })),
            aggregated_search_result: z.string().describe('JSON of all sources.'),
          }),
          structured_content: z.null(),
          image_url: z.null(),
          image_data: z.null(),
        }),
      ),
      ...agentMembers,
      ...outcome,
    })
    .meta({ id: 'AgentAnswer' }),
  ...agentMembers,
});
