import pLimit from 'p-limit';
import type { Transcriber, Transcript } from '../models/transcriber.ts';
import { raceAbort } from '../shared/abort.ts';
import { readingStopped } from './ask-reader.ts';
import { typeByName } from './readers/file-types.ts';
import type { StoredJob } from './stored-job.ts';

/**
 * Returns a function that replaces a recording by its transcript, to be read as subtitles, or as text if the model
 * gives no times. Other jobs stay as they are, and do not wait for recordings, which may take many minutes.
 */
export function createTranscription(
  transcriber: Transcriber | undefined,
  concurrency: number,
): (job: StoredJob, signal: AbortSignal) => Promise<StoredJob> {
  const limit = pLimit(concurrency);
  return async (job, signal) => {
    const type = typeByName(job.type);
    if (!type?.isRecording || transcriber === undefined || job.content.kind !== 'file') return job;
    const recording = { bytes: job.bytes, fileName: job.fileName, mediaType: type.mediaTypes[0] };
    const stopped = () => readingStopped({ name: job.fileName });
    const transcribing = limit(async () => {
      if (signal.aborted) throw stopped();
      return transcriber.transcribe(recording, signal);
    });
    const transcript = await raceAbort(transcribing, signal, stopped);
    const isTimed = transcript.segments.length > 0;
    const text = isTimed ? toWebVtt(transcript) : transcript.text;
    return { ...job, type: isTimed ? 'vtt' : 'txt', bytes: new TextEncoder().encode(text) };
  };
}

/** https://www.w3.org/TR/webvtt1/ */
const toWebVtt = ({ segments }: Transcript): string =>
  [
    'WEBVTT',
    ...segments.map(({ start, end, text, speaker }) => {
      const spoken = escaped(text.replaceAll(/\s+/g, ' '));
      const voice = speaker === undefined ? spoken : `<v ${escaped(speaker.replaceAll(/[\s>]+/g, ' '))}>${spoken}`;
      return `${timeOf(start)} --> ${timeOf(end)}\n${voice}`;
    }),
  ].join('\n\n');

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function timeOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds * 1000));
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1000) % 60].map(two).join(':');
  return `${clock}.${String(whole % 1000).padStart(3, '0')}`;
}
