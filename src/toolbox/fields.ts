import { z } from 'zod';
import { timestamp } from '../documents/timestamp.ts';

// Input fields shared by several tools, so that an argument has one meaning everywhere.

export const query = z.string().trim().min(1).max(2000).describe('What to look for, in plain words');

export const cursor = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Continues an earlier call: its next_cursor; the other arguments stay the same');

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
  .describe('Identifier of the document, the beginning of it, or the [n] of a result');

export const chunkId = z.string().trim().min(1).max(64);

export const documentIds = z.array(z.string()).max(50).optional().describe('Only in these documents');

export const collections = z
  .array(z.string())
  .max(20)
  .optional()
  .describe('Only in these collections, by name or identifier');

export const limit = (standard: number, max: number) =>
  z.number().int().min(1).max(max).default(standard).describe(`How many to return (1 to ${max}, default ${standard})`);

export const maxCharacters = (standard: number) =>
  z
    .number()
    .int()
    .min(500)
    .max(40_000)
    .default(standard)
    .describe(`Maximum length of the result in characters (500 to 40000, default ${standard})`);

export const asOf = timestamp
  .optional()
  .describe('Use the documents as they were at this time, e.g. "2026-03-01" (default: now)');
