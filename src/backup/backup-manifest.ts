import { z } from 'zod';

/** Version of the archive format; programs refuse versions above the one they know. */
export const BACKUP_FORMAT = 1;

/** Entries of the tar archive: the manifest is the first, the checksums are the last. */
export const MANIFEST_FILE = 'manifest.json';
export const CHECKSUMS_FILE = 'checksums.json';

/** Describes a backup. */
export const backupManifest = z.object({
  format: z.int().positive(),
  /** Version of the program that made it. */
  citewell: z.string(),
  created_at: z.iso.datetime(),
  /** The last migration step of the database. */
  schema: z.string(),
  documents: z.int().min(0),
  chunks: z.int().min(0),
  /** Total size of all files in bytes. */
  bytes: z.int().min(0),
});

export type BackupManifest = z.infer<typeof backupManifest>;

/** SHA-256 of every other file, in hexadecimal, by name. */
export const backupChecksums = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));
