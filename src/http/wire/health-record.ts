import { z } from 'zod';
import type { ServiceStatus } from '../http-services.ts';

const index = z.object({
  kind: z.enum(['embedded', 'remote', 'pgvector', 'memory']),
  state: z.enum(['ready', 'checking', 'rebuilding', 'unavailable']),
});

/** What every client may know about the service. */
export const deploymentFacts = { version: z.string(), model: z.string(), embedder: z.string(), index };

/** docs/contract.md 12. */
export const healthRecord = z
  .object({ message: z.literal('ok'), ...deploymentFacts, embedder_reason: z.string().exactOptional() })
  .meta({ id: 'Health' });

export const toHealthRecord = ({ version, model, embedder, embedderReason, index }: ServiceStatus) => ({
  message: 'ok',
  version,
  model,
  embedder,
  embedder_reason: embedderReason,
  index,
});
