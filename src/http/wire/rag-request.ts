import { z } from 'zod';
import type { RagRequest } from '../../rag/rag-event.ts';
import { defaultGeneration, generationConfig } from './generation-config.ts';
import { query } from './search-request.ts';
import { detailOf, type HitDetail, searchMembers, toSearchSettings } from './search-settings.ts';
import { optional } from './tolerant.ts';

/** spec.md 4.2, r2r-v3.md 5.2. `include_web_search` is accepted; with no web search configured it adds nothing. */
export const ragRequest = z
  .object({
    query,
    ...searchMembers,
    rag_generation_config: optional(generationConfig),
    task_prompt: optional(z.string()),
    include_title_if_available: optional(z.boolean()),
    include_web_search: optional(z.boolean()),
  })
  .transform((wire): { readonly stream: boolean; readonly request: RagRequest; readonly detail: HitDetail } => {
    const { stream, config } = wire.rag_generation_config ?? defaultGeneration;
    return {
      stream,
      detail: detailOf(wire),
      request: {
        query: wire.query,
        search: toSearchSettings(wire),
        generation: config,
        ...(wire.task_prompt === undefined ? {} : { taskPrompt: wire.task_prompt }),
        includeTitle: wire.include_title_if_available ?? false,
      },
    };
  });
