import { openImageReader } from '../adapters/open-image-reader.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { createPreparationWorkers } from '../ingest/prepare-in-worker.ts';
import { createTranscriber } from '../models/create-transcriber.ts';
import { openUserCache } from '../user-cache.ts';
import { type Question, registryOf, shown } from './service-question.ts';

/** A WAV file with one second of silence, in which most models recognise no speech. */
function silence(): Uint8Array {
  const rate = 8_000;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + 2 * rate, 4);
  header.write('WAVEfmt ', 8);
  // Size of the format chunk, then PCM, one channel, sample rate, byte rate, bytes per frame, bits per sample.
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * rate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(2 * rate, 40);
  return Buffer.concat([header, Buffer.alloc(2 * rate)]);
}

export function recordingQuestions(config: Config): Question[] {
  const { transcriber: subject } = config;
  if (subject === undefined) return [];
  return [
    {
      name: 'Recordings',
      subject,
      variable: 'CITEWELL_TRANSCRIBER, or the key or address of its provider',
      ask: async (signal) => {
        const recording = { bytes: silence(), fileName: 'silence.wav', mediaType: 'audio/wav' };
        const { text } = await createTranscriber(subject, config).transcribe(recording, signal);
        return text.trim() === '' ? 'nothing in a second of silence' : `"${shown(text)}" in a second of silence`;
      },
    },
  ];
}

/** The word FERRY in black on white. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAKoAAAA4AQAAAABFo15nAAAAxElEQVR42u3TMY7DIBAF0L9yQckROMrcLC5ccC0TLoK1F6B0MeInIXEUYyJtlyJL' +
  '+Qrm80eAvTPjy3nGkAHih4qBkbQbJ6AAToExsDRsFXCB6vZsFLCJKpUjuZDFcVApNnNtOKrQ5HEd9xyu7FfJ7LBKanip7JYeFxe6bCOPSTyN77Cl' +
  'N09Olf3tOZzs1qB96YTnlmuDTK7DwiS7kdslWZokpo5cx4anGvDA8T37D/O9wd8DA6fHdvo8HTmpMDz5/3P/jS/0oQ9YN1WDHQAAAABJRU5ErkJggg==';

export function pictureQuestions(config: Config): Question[] {
  const { reader } = config.images;
  if (reader === 'off') return [];
  return [
    {
      name: 'Pictures',
      subject: reader,
      variable: 'CITEWELL_READ_IMAGES',
      ask: async (signal) => {
        const cache = openUserCache(config.cacheDir);
        const imageReader = openImageReader(config.images, { models: registryOf(config), cacheFolder: cache.path });
        const readers = createPreparationWorkers({ imageReader });
        try {
          const bytes = new Uint8Array(Buffer.from(PICTURE, 'base64'));
          const file = { bytes, fileName: 'ferry.png', type: 'png', content: { kind: 'file' } } as const;
          const { text } = await readers.prepare({ ...file, split: {}, skipSummary: true }, signal);
          if (/ferry/i.test(text)) return `read "${shown(text)}"`;
          throw new ServiceError('provider_failed', `it read "${shown(text)}" where "FERRY" is written`);
        } finally {
          await readers.close();
          cache.close();
        }
      },
    },
  ];
}
