import { z } from 'zod';

const address = z.url({ protocol: /^(file|https?)$/, error: 'This must be a file: or http(s): URL.' });

// Addition: documents by their source.

export const sourceQuery = z.object({ source: address });

export const prefixQuery = z.object({
  prefix: address,
  content_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'This must be a SHA-256 in hexadecimal.')
    .optional(),
  after: z.string().optional().describe('The source of the last listed entry.'),
  limit: z.coerce.number<string>().int().min(1).max(1000).default(100),
});

/** Fields as in POST /documents. */
export const unchangedQuery = z.object({
  sources: z.array(address).min(1).max(1_000),
  metadata: z.record(z.string(), z.json()).default({}),
  collections: z.array(z.string().trim().min(1).max(200)).max(1_000).default([]),
});

export const unchangedContent = z.object({ document_id: z.string(), content_hash: z.string(), size_in_bytes: z.int() });

export const sourcePlace = z.object({ source: address, file_name: z.string().trim().min(1).max(1_000) });
