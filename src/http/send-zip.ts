import { Readable } from 'node:stream';
import type { Response } from 'express';
import yazl from 'yazl';
import type { Document } from '../documents/document.ts';
import { sendPieces } from './send-csv.ts';

/** Media types that are already compressed and are stored without further compression. */
const COMPRESSED =
  /^(image\/(?!svg|bmp|tiff)|audio\/|video\/|application\/(zip|pdf|epub|vnd\.openxmlformats|x-7z|gzip))/;

export interface ZippedDocuments {
  readonly documents: AsyncIterable<Pick<Document, 'id' | 'fileName' | 'mediaType' | 'createdAt'>>;
  bytesOf(id: string): Promise<Uint8Array | undefined>;
}

/** Streams the files of documents as a zip archive, holding one file in memory at a time. */
export async function sendZip(response: Response, { documents, bytesOf }: ZippedDocuments): Promise<void> {
  const archive = new yazl.ZipFile();
  const names = new Set<string>();
  // yazl's output is a Node stream; its types declare less.
  const output = archive.outputStream as Readable;
  const stop = (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error)));
  const fill = async (): Promise<void> => {
    for await (const document of documents) {
      const bytes = await bytesOf(document.id);
      // A reader who left meanwhile would never take the content.
      if (response.destroyed) return;
      if (bytes === undefined) continue;
      const taken = Promise.withResolvers<void>();
      const content = Readable.from(inPieces(bytes, taken.resolve), { objectMode: false });
      response.once('close', taken.resolve);
      archive.addReadStream(content, freeName(document.fileName, names), {
        mtime: new Date(document.createdAt),
        compress: !COMPRESSED.test(document.mediaType),
      });
      await taken.promise;
      response.off('close', taken.resolve);
      if (response.destroyed) return;
    }
    archive.end();
  };
  response.setHeader('Content-Type', 'application/zip');
  response.setHeader('Content-Disposition', 'attachment; filename="documents.zip"');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  archive.on('error', stop);
  fill().catch(stop);
  await sendPieces(response, output);
}

const CHUNK_SIZE = 64_000;

function* inPieces(bytes: Uint8Array, onTaken: () => void): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.byteLength; start += CHUNK_SIZE) yield bytes.subarray(start, start + CHUNK_SIZE);
  onTaken();
}

/** A file name without folders that is unique within the archive. */
function freeName(fileName: string, taken: Set<string>): string {
  const plain =
    fileName
      .toWellFormed()
      .replace(/[/\\\p{Cc}:]/gu, '_')
      .replace(/^\.+/, '_') || 'document';
  const dot = plain.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, ''];
  for (let number = 1; ; number++) {
    const name = number === 1 ? plain : `${stem} (${number})${ending}`;
    const folded = name.toLowerCase();
    if (taken.has(folded)) continue;
    taken.add(folded);
    return name;
  }
}
