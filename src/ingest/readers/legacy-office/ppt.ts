import { ServiceError } from '../../../errors.ts';
import { oneLine } from '../../../shared/text.ts';
import { createTextBuilder } from '../build-text.ts';
import { openCompoundFile } from '../containers/compound-file.ts';
import { untitled } from '../office/pptx-shapes.ts';
import type { Reader } from '../reader.ts';
import { readPptSlides } from './ppt-slides.ts';
import { readSummaryStream } from './summary-stream.ts';

/** PowerPoint presentations from before 2007: a page per slide, its title as a heading, and the speaker's notes. */
export const pptReader: Reader = {
  async read({ bytes, fileName }) {
    const file = openCompoundFile(bytes, fileName);
    const stream = file.stream('PowerPoint Document');
    const user = file.stream('Current User');
    if (stream === undefined || user === undefined || user.length < 20)
      throw new ServiceError('invalid_request', `${fileName} is damaged: it has no readable presentation.`);
    if (user.readUInt32LE(12) === ENCRYPTED) {
      throw new ServiceError(
        'invalid_request',
        `${fileName} is encrypted and needs a password. Save it without one first.`,
      );
    }
    const slides = readPptSlides(stream, user.readUInt32LE(16), fileName);
    const builder = createTextBuilder();
    for (const [index, { title, texts, notes }] of slides.entries()) {
      builder.startPage(index + 1);
      builder.add('heading', oneLine(title) || untitled(index + 1), { level: 2 });
      for (const text of texts) builder.add('paragraph', text);
      if (notes !== '') builder.add('paragraph', `Notes: ${notes}`);
    }
    const { title, ...properties } = readSummaryStream(file);
    const metadata = { ...properties, slide_count: slides.length };
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata };
  },
};

const ENCRYPTED = 0xf3d1c4df;
