import { z } from 'zod';
import { writeExtractorOptions } from '../../graph/extractor-options.ts';
import { defined, numeric, optional, snakeCased } from './tolerant.ts';

const name = z.string().trim().min(1).max(1_000);
const text = z.string().max(50_000);
const metadata = z.record(z.string(), z.json());
const id = z.guid().toLowerCase();
const weight = numeric(z.number().positive().max(1_000_000));
const flag = z.union([z.boolean(), z.stringbool()]);

/** docs/contract.md 11. */
export const graphChange = snakeCased(z.object({ name: optional(name), description: optional(text) })).transform(
  (wire) => defined(wire),
);

const entityMembers = {
  description: optional(text),
  category: optional(z.string().trim().min(1).max(200)),
  metadata: optional(metadata),
};

export const newEntity = snakeCased(z.object({ name, ...entityMembers })).transform((wire) => defined(wire));
export const entityChange = snakeCased(z.object({ name: optional(name), ...entityMembers })).transform((wire) =>
  defined(wire),
);

const relationshipMembers = {
  subject: optional(name),
  object: optional(name),
  description: optional(text),
  weight: optional(weight),
  metadata: optional(metadata),
};

export const newRelationship = snakeCased(
  z.object({ ...relationshipMembers, predicate: name, subject_id: id, object_id: id }),
).transform(({ subject_id: subjectId, object_id: objectId, ...rest }) => ({ ...defined(rest), subjectId, objectId }));

export const relationshipChange = snakeCased(
  z.object({ ...relationshipMembers, predicate: optional(name), subject_id: optional(id), object_id: optional(id) }),
).transform(({ subject_id: subjectId, object_id: objectId, ...rest }) => defined({ ...rest, subjectId, objectId }));

const communityMembers = {
  summary: optional(text),
  findings: optional(z.array(text).max(1_000)),
  rating: optional(numeric(z.number().min(1).max(10))),
  rating_explanation: optional(text),
  level: optional(numeric(z.number().int().min(0).max(100))),
  attributes: optional(metadata),
};

const DEFAULT_RATING = 5;

/** `entity_ids` is an addition: the entities of the community. */
export const newCommunity = snakeCased(
  z.object({ name, ...communityMembers, entity_ids: optional(z.array(id).max(100_000)) }),
).transform((wire) => ({
  name: wire.name,
  summary: wire.summary ?? '',
  findings: wire.findings ?? [],
  rating: wire.rating ?? DEFAULT_RATING,
  ratingExplanation: wire.rating_explanation ?? '',
  level: wire.level ?? 0,
  attributes: wire.attributes ?? {},
  memberIds: wire.entity_ids ?? [],
}));

export const communityChange = snakeCased(z.object({ name: optional(name), ...communityMembers })).transform(
  ({ rating_explanation: ratingExplanation, level: _, ...rest }) => defined({ ...rest, ratingExplanation }),
);

const generation = snakeCased(z.looseObject({ model: optional(z.string().min(1)) }));

const names = z.array(z.string().trim().min(1).max(200)).max(200);
const options = {
  entity_types: optional(names),
  relation_types: optional(names),
  chunk_merge_count: optional(numeric(z.number().int().min(1).max(64))),
  max_knowledge_relationships: optional(numeric(z.number().int().min(1).max(10_000))),
};

/**
 * The body of graph extraction and of building communities. R2R expects the model in `settings`; here it may also be at
 * the top level. `run_type: "estimate"` only estimates the cost.
 */
export const graphWork = snakeCased(
  z.object({
    model: optional(z.string().min(1)),
    run_type: optional(z.enum(['run', 'estimate'])),
    run_with_orchestration: optional(flag),
    settings: optional(
      snakeCased(
        z.looseObject({
          model: optional(z.string().min(1)),
          run_type: optional(z.enum(['run', 'estimate'])),
          generation_config: optional(generation),
          ...options,
        }),
      ),
    ),
  }),
).transform((wire) => ({
  ...toExtractor(wire.model ?? wire.settings?.model ?? wire.settings?.generation_config?.model, wire.settings),
  isEstimate: (wire.run_type ?? wire.settings?.run_type) === 'estimate',
  waits: wire.run_with_orchestration === false,
}));

type Options = z.output<z.ZodObject<typeof options>>;

/** The model name together with the extraction options that a queued task stores. */
function toExtractor(model: string | undefined, settings: Partial<Options> | undefined) {
  const options = {
    model,
    entityTypes: settings?.entity_types,
    relationTypes: settings?.relation_types,
    chunksPerCall: settings?.chunk_merge_count,
    maxRelationships: settings?.max_knowledge_relationships,
  };
  return { model, extractor: writeExtractorOptions(options) };
}

/** `stream` is an addition: it requests the progress as events. */
export const pullRequest = snakeCased(z.object({ force: optional(flag), stream: optional(flag) })).transform(
  ({ force, stream }) => ({ force: force ?? false, isStreamed: stream ?? false }),
);

/** `stream` is an addition, as for `pull`. */
export const resetRequest = snakeCased(z.object({ stream: optional(flag) })).transform(({ stream }) => ({
  isStreamed: stream ?? false,
}));
