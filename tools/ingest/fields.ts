import { z } from 'zod';

// Arguments shared by the ingestion tools.

export const path = z.string().trim().min(1).max(4096);

export const folderPath = path
  .optional()
  .describe('Path of the folder, absolute or from an allowed folder; left out, the allowed folder');

export const title = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .optional()
  .describe(
    'Title to show (default: the heading or first line of a text; the own title of a file or page, else its name)',
  );

export const metadata = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('Facts to filter by later, e.g. {"year": 2024, "team": "legal"}');

export const collections = z
  .array(z.string().trim().min(1).max(200))
  .max(20)
  .optional()
  .describe('Collections to put it into, by name or identifier; new ones are made');
