import { z } from 'zod';
import { timestamp } from '../documents/timestamp.ts';

// Input fields shared by several tools, so that an argument has one meaning everywhere.

export const query = z.string().trim().min(1).max(2000).describe('What to look for, in plain words');

export const cursor = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Continue an earlier call: the next_cursor it gave, with the same other arguments');

export const filters = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    'Conditions on documents, e.g. {"document_type": {"$eq": "pdf"}, "metadata.year": {"$gt": 2020}}. Operators: $eq $ne $gt $gte $lt $lte $in $nin $like $ilike $overlap $contains $and $or',
  );

export const documentId = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .describe('Identifier of the document, or its beginning, or the [n] of a result');

export const chunkId = z.string().trim().min(1).max(64);

export const documentIds = z.array(z.string()).max(50).optional().describe('Only in these documents');

export const collections = z
  .array(z.string())
  .max(20)
  .optional()
  .describe('Only in these collections, by name or identifier');

export const limit = (standard: number, most: number) =>
  z
    .number()
    .int()
    .min(1)
    .max(most)
    .default(standard)
    .describe(`How many to return (1 to ${most}, default ${standard})`);

export const maxCharacters = (standard: number) =>
  z
    .number()
    .int()
    .min(500)
    .max(40_000)
    .default(standard)
    .describe(`Longest text to return, in characters (500 to 40000, default ${standard})`);

export const asOf = timestamp
  .optional()
  .describe('Use what documents said at this time, e.g. "2026-03-01"; left out, what they say now');
