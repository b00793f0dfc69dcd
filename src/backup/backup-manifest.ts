import { z } from 'zod';

/** The form of the archive; a program that knows only lower numbers refuses it. */
export const BACKUP_FORMAT = 1;

/** Names in the archive, which is a tar file. The manifest is first, the checksums are last. */
export const MANIFEST_FILE = 'manifest.json';
export const CHECKSUMS_FILE = 'checksums.json';

/** What a backup says of itself. */
export const backupManifest = z.object({
  format: z.int().positive(),
  /** Version of the program that made it. */
  citewell: z.string(),
  created_at: z.iso.datetime(),
  /** The last migration step of the database. */
  schema: z.string(),
  documents: z.int().min(0),
  chunks: z.int().min(0),
  /** Bytes of all files together. */
  bytes: z.int().min(0),
});

export type BackupManifest = z.infer<typeof backupManifest>;

/** SHA-256 of every other file, in hexadecimal, by name. */
export const backupChecksums = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));
