import { z } from 'zod';
import { estimateTokens } from '../../documents/estimate-tokens.ts';
import { defined, optional } from './tolerant.ts';

const MAX_TEXTS = 2048;
const text = z.string({ error: 'expected texts; lists of token numbers are not supported' }).min(1).max(1_000_000);

/** OpenAI's Embeddings API. `input_type` is an addition for embedders that treat queries and passages differently. */
export const embeddingsRequest = z
  .object({
    model: z.string().min(1),
    input: z.union([text.transform((one) => [one]), z.array(text).min(1).max(MAX_TEXTS)], {
      error: `expected a text or 1 to ${MAX_TEXTS} texts, none of them empty; lists of token numbers are not supported`,
    }),
    encoding_format: optional(z.enum(['float', 'base64'])),
    dimensions: optional(z.int().min(1)),
    input_type: optional(z.enum(['query', 'passage'])),
  })
  .transform(({ model, input, encoding_format: encoding = 'float', dimensions, input_type: kind = 'passage' }) =>
    defined({ model, texts: input, encoding, dimensions, kind }),
  );

export const embeddingsList = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int().min(0),
        embedding: z.union([z.array(z.number()), z.string().describe('Little-endian 32-bit floats in base64.')]),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int().describe('Estimated.'), total_tokens: z.int() }),
  })
  .meta({ id: 'EmbeddingsList' });

export function toEmbeddingsList(
  vectors: readonly Float32Array[],
  { model, texts, encoding }: { model: string; texts: readonly string[]; encoding: 'float' | 'base64' },
): z.input<typeof embeddingsList> {
  const tokens = texts.reduce((sum, each) => sum + estimateTokens(each), 0);
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'float' ? Array.from(vector) : toBase64(vector),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Encodes as little-endian floats, as the API requires, regardless of the machine's byte order. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}
