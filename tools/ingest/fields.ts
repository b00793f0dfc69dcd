import { z } from 'zod';

// Arguments shared by the ingestion tools.

export const path = z.string().trim().min(1).max(4096);

export const folderPath = path
  .optional()
  .describe(
    'Path of the folder, absolute or relative to an allowed folder (default: the allowed folder, if there is only one)',
  );

export const title = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .optional()
  .describe(
    'Title to show (default: the heading or first line of a text; the title within a file or page, otherwise its name)',
  );

export const metadata = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('Fields to filter by later, e.g. {"year": 2024, "team": "legal"}');

export const collections = z
  .array(z.string().trim().min(1).max(200))
  .max(20)
  .optional()
  .describe('Collections to add it to, by name or identifier; those that do not exist are created');
