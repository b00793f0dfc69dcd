import { describe, expect, it, onTestFinished } from 'vitest';
import { createPreparationWorkers } from '../../src/ingest/prepare-in-worker.ts';
import { createTranscriber } from '../../src/models/create-transcriber.ts';
import type { Transcriber } from '../../src/models/transcriber.ts';
import { startFakeTranscriber, type TranscriptionReply } from '../support/fake-transcription-server.ts';
import { makeZip } from './make-docx.ts';

const always = new AbortController().signal;
const noPauses = { maxTries: 2, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 10 };
const sound = Buffer.from(`ID3\u0003${'\0'.repeat(600)}`, 'latin1');
const spoken = {
  text: 'The ferry leaves at nine. Tickets <are> sold & checked on board.',
  segments: [
    { start: 0, end: 2.5, text: ' The ferry leaves at nine.' },
    { start: 3_725.2, end: 3_728, text: ' Tickets <are> sold & checked on board.' },
  ],
};

async function openReaders(replies: TranscriptionReply[], model = 'whisper-1') {
  const server = await startFakeTranscriber(replies);
  const settings = { providers: [{ name: 'ear', baseUrl: server.baseUrl }], retry: noPauses };
  const workers = createPreparationWorkers({ workers: 1, transcriber: createTranscriber(`ear/${model}`, settings) });
  onTestFinished(async () => {
    await workers.close();
    await server.close();
  });
  const read = (fileName: string, type: string, bytes: Uint8Array = sound, signal = always) =>
    workers.prepare({ bytes, fileName, type, content: { kind: 'file' }, split: {}, skipSummary: true }, signal);
  return { read, requests: server.requests };
}

describe('a recording', () => {
  it('becomes the text that is spoken, cited by its time', async () => {
    const { read, requests } = await openReaders([[200, spoken]]);
    const { text, headings } = await read('talk.mp3', 'mp3');
    expect(text).toBe('00:00:00\n\nThe ferry leaves at nine.\n\n01:02:05\n\nTickets <are> sold & checked on board.');
    expect(JSON.stringify(headings)).toContain('01:02:05');
    expect(requests).toEqual([
      {
        model: 'whisper-1',
        format: 'verbose_json',
        fileName: 'talk.mp3',
        mediaType: 'audio/mpeg',
        bytes: sound.length,
      },
    ]);
  });

  it('names its speakers if the model distinguishes them', async () => {
    const segments = [{ ...spoken.segments[0], speaker: 'Ada' }];
    const { read, requests } = await openReaders([[200, { ...spoken, segments }]], 'gpt-4o-transcribe-diarize');
    expect((await read('talk.wav', 'wav')).text).toBe('00:00:00\n\nAda: The ferry leaves at nine.');
    expect(requests[0]?.format).toBe('diarized_json');
  });

  it('is text without times if the model does not support them, which is tried once', async () => {
    const message = "response_format 'verbose_json' is not compatible with this model. Use 'json' or 'text' instead.";
    const refusal = { error: { message, type: 'invalid_request_error', param: 'response_format', code: null } };
    const { read, requests } = await openReaders(
      [
        [400, refusal],
        [200, { text: spoken.text }],
      ],
      'gpt-4o-transcribe',
    );
    expect((await read('talk.m4a', 'm4a')).text).toBe(spoken.text);
    await read('talk.m4a', 'm4a');
    expect(requests.map(({ format }) => format)).toEqual(['verbose_json', 'json', 'json']);
  });

  it('is sent again after a failure of the server', async () => {
    const { read, requests } = await openReaders([
      [503, {}],
      [200, spoken],
    ]);
    expect((await read('talk.mp3', 'mp3')).text).toContain('The ferry leaves');
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['is too large for the provider', [413, {}], /a\.mp3 is larger than .* accepts\. Split the recording/],
    ['comes back without a transcript', [200, { status: 'queued' }], /sent no transcript/],
    ['comes back silent', [200, { text: '', segments: [] }], /holds no .*text/],
    ['is refused', [400, { error: { message: 'Unsupported codec' } }], /Unsupported codec/],
  ] as const)('that %s fails with a clear message', async (_, reply, words) => {
    const { read } = await openReaders([[reply[0], reply[1]]]);
    await expect(read('a.mp3', 'mp3')).rejects.toThrow(words);
  });

  it('in an archive is listed as not read', async () => {
    const { read, requests } = await openReaders([[200, spoken]]);
    const archive = makeZip([
      { name: 'a.txt', content: 'The museum is closed.' },
      { name: 'a.mp3', content: sound },
    ]);
    const { text, metadata } = await read('a.zip', 'zip', archive);
    expect(text).toContain('The museum is closed.');
    expect(JSON.stringify(metadata)).toContain('Upload it separately');
    expect(requests).toEqual([]);
  });
});

describe('while a recording is transcribed', () => {
  function openWith() {
    const transcribing = Promise.withResolvers<void>();
    const transcriber: Transcriber = {
      name: 'test/ear',
      async transcribe() {
        await transcribing.promise;
        return { text: 'The ferry leaves at nine.', segments: [] };
      },
    };
    const workers = createPreparationWorkers({ workers: 1, transcriber });
    onTestFinished(async () => {
      transcribing.resolve();
      await workers.close();
    });
    const read = (fileName: string, type: string, bytes: Uint8Array, signal = always) =>
      workers.prepare({ bytes, fileName, type, content: { kind: 'file' }, split: {}, skipSummary: true }, signal);
    return { read, finish: transcribing.resolve };
  }

  it('other documents are read', async () => {
    const { read, finish } = openWith();
    const recording = read('talk.mp3', 'mp3', sound);
    expect((await read('a.txt', 'txt', Buffer.from('The museum is closed.'))).text).toBe('The museum is closed.');
    finish();
    expect((await recording).text).toBe('The ferry leaves at nine.');
  });

  it('another recording that waits for it can be cancelled', async () => {
    const { read, finish } = openWith();
    const first = read('one.mp3', 'mp3', sound);
    const second = new AbortController();
    const refused = expect(read('two.mp3', 'mp3', sound, second.signal)).rejects.toThrow('two.mp3 was stopped');
    second.abort();
    await refused;
    finish();
    expect((await first).text).toBe('The ferry leaves at nine.');
  });
});

it.each(['whisper-1', 'anthropic/claude', 'builtin/whisper'])('%s is no transcriber', (name) => {
  expect(() => createTranscriber(name, {})).toThrow(/no transcription model|is not configured|Expected/);
});
