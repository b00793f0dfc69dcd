import { z } from 'zod';
import type { Metadata } from '../../documents/document.ts';

const metadata = z.record(z.string(), z.json());

/** The body of a metadata change: one object, or a list of objects to merge in order (docs/contract.md 6.3). */
export const metadataList = z
  .union([z.array(metadata), metadata])
  .transform((wire): Metadata => (Array.isArray(wire) ? Object.assign({}, ...wire) : wire));
