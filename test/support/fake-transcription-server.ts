import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { cutOnFailure } from './cut-on-failure.ts';

/** The content of a transcription request. */
export interface TranscriptionRequest {
  readonly model: string;
  readonly format: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: number;
}

/** Status and body of the reply to one request; the last reply of a list is repeated. */
export type TranscriptionReply = readonly [status: number, body: object];

/** A fake of OpenAI's `/v1/audio/transcriptions` with scripted replies. */
export async function startFakeTranscriber(replies: TranscriptionReply[]) {
  const requests: TranscriptionRequest[] = [];
  const server = createServer(
    cutOnFailure(async (request, response) => {
      const headers = { 'content-type': String(request.headers['content-type']) };
      const form = await new Response(new Uint8Array(await buffer(request)), { headers }).formData();
      const file = form.get('file') as File;
      requests.push({
        model: String(form.get('model')),
        format: String(form.get('response_format')),
        fileName: file.name,
        mediaType: file.type,
        bytes: file.size,
      });
      const [status, body] = (replies.length > 1 ? replies.shift() : replies[0]) ?? [500, {}];
      response.writeHead(request.url === '/v1/audio/transcriptions' ? status : 404, {
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(body));
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    requests,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
