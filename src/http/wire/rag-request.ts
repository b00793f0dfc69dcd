import { z } from 'zod';
import type { RagRequest } from '../../rag/rag-event.ts';
import { defaultGeneration, generationConfig } from './generation-config.ts';
import { RESUMABLE } from './resumable.ts';
import { query } from './search-request.ts';
import { detailOf, type HitDetail, searchMembers, toSearchSettings } from './search-settings.ts';
import { optional } from './tolerant.ts';

/** docs/contract.md 5.2. If no web search is configured, `include_web_search` only adds a note. */
export const ragRequest = z
  .object({
    query,
    ...searchMembers,
    rag_generation_config: optional(generationConfig),
    task_prompt: optional(z.string()).describe('Replaces the prompt; {query} and {context} are filled in.'),
    include_title_if_available: optional(z.boolean()),
    include_web_search: optional(z.boolean()).describe('Also search the web, if a search engine is configured.'),
    resumable: optional(z.boolean()).describe(RESUMABLE),
  })
  .meta({ id: 'RagRequest' })
  .transform((wire): RagCall => {
    const { stream, config } = wire.rag_generation_config ?? defaultGeneration;
    return {
      stream,
      isResumable: wire.resumable ?? false,
      detail: detailOf(wire),
      request: {
        query: wire.query,
        search: toSearchSettings(wire),
        generation: config,
        ...(wire.task_prompt === undefined ? {} : { taskPrompt: wire.task_prompt }),
        includeTitle: wire.include_title_if_available ?? false,
        includeWebSearch: wire.include_web_search ?? false,
      },
    };
  });

export interface RagCall {
  readonly stream: boolean;
  readonly isResumable: boolean;
  readonly detail: HitDetail;
  readonly request: RagRequest;
}
