import { z } from 'zod';
import { id } from './record-parts.ts';

const count = z.int().describe('Documents with it.');

export const documentFacets = z
  .object({
    documents: z.int(),
    types: z.array(z.object({ value: z.string(), count })),
    collections: z.array(z.object({ id, name: z.string(), count })).describe('The hundred largest.'),
    metadata: z
      .array(
        z.object({
          key: z.string(),
          values: z.array(z.object({ value: z.union([z.string(), z.number(), z.boolean()]), count })),
        }),
      )
      .describe('The eight most frequent keys with at most twelve values, one of which occurs more than once.'),
  })
  .meta({ id: 'DocumentFacets' });
