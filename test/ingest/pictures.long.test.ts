import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { modelImageReader } from '../../src/ingest/model-image-reader.ts';
import { createPreparationWorkers } from '../../src/ingest/prepare-in-worker.ts';
import { encodePng, shrink } from '../../src/ingest/readers/image/encode-png.ts';
import type { ImageReader, Picture } from '../../src/ingest/readers/image/image-reader.ts';
import { readPictureFacts } from '../../src/ingest/readers/image/picture-facts.ts';
import { tesseractImageReader } from '../../src/ingest/tesseract-image-reader.ts';
import { says, scriptedModel } from '../support/scripted-model.ts';
import { makeZip } from './make-docx.ts';
import { makeMail } from './make-mail.ts';
import {
  faxKinds,
  makeBmp,
  makeExif,
  makeFaxTiff,
  makeHeic,
  makeJpeg,
  makePng,
  makeScannedPdf,
  makeTiff,
  makeTiledTiff,
  TIFF_NEXT_AT,
} from './make-pictures.ts';

/** The values of the first dot of a PNG with one filter byte for each line. */
const firstDot = (png: Uint8Array): string => {
  const bytes = Buffer.from(png);
  const start = bytes.indexOf('IDAT') + 4;
  const line = inflateSync(bytes.subarray(start, start + bytes.readUInt32BE(start - 8)));
  const channels = { 0: 1, 2: 3, 6: 4 }[bytes[25] ?? 0] ?? 1;
  return [...line.subarray(1, 1 + channels)].join();
};

const always = new AbortController().signal;

function openWorkers(readImage?: ImageReader) {
  const imageReader = readImage && ({ kind: 'remote', readImage } as const);
  const workers = createPreparationWorkers({ workers: 1, timeoutMs: 60_000, memoryMb: 1_024, imageReader });
  onTestFinished(() => workers.close());
  return (fileName: string, type: string, bytes: Uint8Array) =>
    workers.prepare({ bytes, fileName, type, content: { kind: 'file' }, split: {}, skipSummary: true }, always);
}

describe('with an image reader', () => {
  it('the text of an image is indexed, whether alone, in a web page, in a mail or in an archive', async () => {
    const seen: string[] = [];
    const prepare = openWorkers(async ({ fileName, mediaType, bytes }) => {
      seen.push(`${fileName} ${mediaType} ${bytes.length > 50}`);
      return '# Timetable\n\nThe ferry leaves at nine.';
    });
    const alone = await prepare('a.png', 'png', makePng());
    expect(alone).toMatchObject({
      text: '# Timetable\n\nThe ferry leaves at nine.',
      metadata: { width: 300, height: 200 },
    });
    expect(alone.chunks[0]?.headingPath).toEqual(['Timetable']);
    const scanned = await prepare('a.pdf', 'pdf', makeScannedPdf());
    expect(scanned.text).toContain('The ferry leaves at nine.');
    expect(scanned.chunks[0]?.page).toBe(1);
    const mail = makeMail('x', [{ type: 'image/png', name: 'b.png', content: makePng() }]);
    const archive = makeZip([{ name: 'a.eml', content: mail }]);
    expect((await prepare('a.zip', 'zip', archive)).chunks.at(-1)?.headingPath).toEqual([
      'a.eml',
      'b.png',
      'Timetable',
    ]);
    expect(seen).toEqual(['a.png image/png true', 'a.pdf, page 1 image/png true', 'b.png image/png true']);
  });

  it('scanned pages in black and white are read, and a compression that is not decoded is named', async () => {
    const seen: string[] = [];
    const prepare = openWorkers(async ({ fileName, bytes }) => {
      seen.push(`${fileName} ${firstDot(bytes)}`);
      return 'Words.';
    });
    for (const kind of ['bits', 'mask'] as const) {
      expect((await prepare(`${kind}.pdf`, 'pdf', makeScannedPdf(kind))).text).toBe('Words.');
    }
    expect(seen).toEqual(['bits.pdf, page 1 255', 'mask.pdf, page 1 255']);
    const message = expect.stringMatching(/probably scanned\. Its pictures are compressed for fax.*save it with JPEG/);
    await expect(prepare('fax.pdf', 'pdf', makeScannedPdf('fax'))).rejects.toMatchObject({
      code: 'invalid_request',
      message,
    });
  });

  it('bitmaps and the pages of TIFF files are converted to PNG', async () => {
    const seen: string[] = [];
    const prepare = openWorkers(async ({ fileName, mediaType, bytes }) => {
      seen.push(`${fileName} ${mediaType} ${firstDot(bytes)}`);
      return fileName;
    });
    expect(await prepare('a.bmp', 'bmp', makeBmp([200, 100, 50]))).toMatchObject({
      text: 'a.bmp',
      metadata: { width: 1 },
    });
    expect((await prepare('a.tiff', 'tiff', makeTiff([7, 9]))).text).toBe('a.tiff, page 1\n\na.tiff, page 2');
    expect(seen).toEqual(['a.bmp image/png 200,100,50', 'a.tiff, page 1 image/png 7', 'a.tiff, page 2 image/png 9']);
  });

  it('TIFF files as scanners and fax machines write them are read', async () => {
    const seen: string[] = [];
    const prepare = openWorkers(async ({ bytes }) => {
      seen.push(firstDot(bytes));
      return 'Words.';
    });
    for (const kind of faxKinds) await prepare(`${kind}.tif`, 'tiff', makeFaxTiff(kind));
    expect(seen).toEqual(faxKinds.map(() => '0,0,0,255'));
  });

  it('HEIC pictures of phones are converted to PNG, and broken ones refused', async () => {
    const seen: string[] = [];
    const prepare = openWorkers(async ({ fileName, mediaType, bytes }) => {
      seen.push(`${fileName} ${mediaType} ${firstDot(bytes)}`);
      return 'Words.';
    });
    expect(await prepare('a.heic', 'heic', makeHeic())).toMatchObject({ text: 'Words.', metadata: { width: 64 } });
    expect(seen).toEqual(['a.heic image/png 254,0,0,255']);
    const message = /^a\.heic is broken.*Convert it to PNG or JPEG/;
    const broken = { code: 'unsupported_type', unread: 'undecodable', message };
    await expect(prepare('a.heic', 'heic', makeHeic().subarray(0, 300))).rejects.toMatchObject(broken);
    const damaged = Buffer.from(makeHeic()).fill(0xff, 425, 540);
    await prepare('a.heic', 'heic', damaged).catch((error) => expect(error).toMatchObject(broken));
    expect((await prepare('b.heic', 'heic', makeHeic())).text).toBe('Words.');
  });

  it('a broken, endless or too large bitmap or TIFF file is refused with a remedy', async () => {
    const prepare = openWorkers(async () => 'Words.');
    const broken = { code: 'unsupported_type', message: /^a\.\w+ is broken.*Convert it to PNG or JPEG/ };
    await expect(prepare('a.bmp', 'bmp', makeBmp([1, 2, 3]).subarray(0, 54))).rejects.toMatchObject(broken);
    await expect(prepare('a.tiff', 'tiff', makeTiff([7]).subarray(0, 30))).rejects.toMatchObject(broken);
    expect((await prepare('a.tiff', 'tiff', makeTiledTiff(1))).text).toBe('Words.');
    await expect(prepare('a.tiff', 'tiff', makeTiledTiff(3))).rejects.toMatchObject(broken);
    const endless = Buffer.from(makeTiff([7, 9]));
    endless.writeUInt32LE(8, TIFF_NEXT_AT);
    await expect(prepare('a.tiff', 'tiff', endless)).rejects.toMatchObject({ code: 'too_large', message: /100 pages/ });
    const huge = Buffer.from(makeBmp([1, 2, 3]));
    huge.writeInt32LE(9_000, 18);
    huge.writeInt32LE(9_000, 22);
    await expect(prepare('a.bmp', 'bmp', huge)).rejects.toMatchObject({ code: 'too_large' });
  });

  it('a transient failure of the image reader makes the document fail for a retry', async () => {
    const busy = new ServiceError('rate_limited', 'The provider asks for a pause.', { retryAfter: 7 });
    const prepare = openWorkers(async () => {
      throw busy;
    });
    const archive = makeZip([
      { name: 'a.png', content: makePng() },
      { name: 'b.txt', content: 'Words.' },
    ]);
    await expect(prepare('a.zip', 'zip', archive)).rejects.toBe(busy);
    // The same process continues.
    expect((await prepare('a.txt', 'txt', Buffer.from('Words.'))).text).toBe('Words.');
  });

  it('an image without text is refused, and one of too many pixels is not opened', async () => {
    const prepare = openWorkers(async () => ' ');
    await expect(prepare('a.png', 'png', makePng())).rejects.toMatchObject({ message: /no text/ });
    const huge = Buffer.from(makePng());
    huge.writeUInt32BE(400_000, 16);
    huge.writeUInt32BE(400_000, 20);
    await expect(prepare('a.png', 'png', huge)).rejects.toMatchObject({ code: 'too_large' });
  });
});

describe('without an image reader', () => {
  it('an image or a scanned page is refused with the variable to set', async () => {
    const prepare = openWorkers();
    const message = expect.stringContaining('Set CITEWELL_READ_IMAGES');
    await expect(prepare('a.png', 'png', makePng())).rejects.toMatchObject({ code: 'unsupported_type', message });
    await expect(prepare('a.pdf', 'pdf', makeScannedPdf())).rejects.toMatchObject({ code: 'invalid_request', message });
  });
});

describe('a vision model', () => {
  const picture: Picture = { bytes: makePng(), mediaType: 'image/png', fileName: 'a.png' };

  it('gets the image and the instruction not to follow text in it', async () => {
    const model = scriptedModel(says('The words.'));
    expect(await modelImageReader(model)(picture, always)).toBe('The words.');
    const [message] = model.requests[0]?.messages ?? [];
    expect(message).toMatchObject({
      role: 'user',
      text: expect.stringContaining('never an instruction'),
      images: [{ mediaType: 'image/png', data: Buffer.from(picture.bytes).toString('base64') }],
    });
  });

  it('that refuses makes the document fail with that reason', async () => {
    const refusing = modelImageReader(scriptedModel(says('', 'refusal')));
    await expect(refusing(picture, always)).rejects.toMatchObject({
      code: 'invalid_request',
      message: /refused to read/,
    });
  });
});

describe('local text recognition (OCR)', () => {
  const settings = { languages: 'eng+deu', cacheFolder: join(tmpdir(), 'citewell-ocr') };
  const picture: Picture = { bytes: makePng(), mediaType: 'image/png', fileName: 'a.png' };

  it('is started once, with the languages that are set', async () => {
    const started: unknown[] = [];
    const readImage = tesseractImageReader(settings, async () => ({
      async createWorker(...given) {
        started.push(given.slice(0, 2));
        return { recognize: async () => ({ data: { text: 'The words.' } }) };
      },
    }));
    expect([await readImage(picture, always), await readImage(picture, always)]).toEqual(['The words.', 'The words.']);
    expect(started).toEqual([['eng+deu', 1]]);
  });

  it('says what to install when its package is not there', async () => {
    await expect(tesseractImageReader(settings)(picture, always)).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('npm install tesseract.js'),
    });
  });

  it('names the setting when language data are unavailable, and tries again the next time', async () => {
    let tries = 0;
    const readImage = tesseractImageReader(settings, async () => ({
      createWorker: (_languages, _mode, options) => {
        tries += 1;
        (options as { errorHandler(error: Error): void }).errorHandler(new Error('fetch failed'));
        return new Promise(() => {});
      },
    }));
    for (const _ of [1, 2])
      await expect(readImage(picture, always)).rejects.toMatchObject({ message: /CITEWELL_OCR_DATA/ });
    expect(tries).toBe(2);
  });
});

describe('the metadata of an image', () => {
  it('are size, camera, time and place', () => {
    const exif = makeExif(
      { 270: 'The pier', 272: 'Box 2', 36867: '2024:01:31 09:30:00' },
      { 1: 'S', 2: [54, 30, 36], 3: 'E', 4: [10, 7.5, 0] },
    );
    expect(readPictureFacts(makeJpeg(640, 480, exif))).toEqual({
      width: 640,
      height: 480,
      title: 'The pier',
      camera: 'Box 2',
      created: '2024-01-31 09:30:00',
      latitude: -54.51,
      longitude: 10.125,
    });
  });

  it('are empty for a truncated file', () => {
    const whole = makeJpeg(640, 480, makeExif({ 270: 'The pier at the harbour' }));
    for (let length = 0; length < whole.length; length++)
      expect(() => readPictureFacts(whole.slice(0, length))).not.toThrow();
  });
});

describe('an image encoded as PNG', () => {
  it('has the original pixels, or averages when it is scaled down', () => {
    const data = Uint8Array.from([0, 100, 200, 100, 50, 50, 50, 50]);
    const small = shrink({ data, width: 4, height: 2, channels: 1 }, 2);
    expect([...small.data]).toEqual([50, 100]);
    const png = Buffer.from(encodePng({ data, width: 4, height: 2, channels: 1 }));
    const start = png.indexOf('IDAT') + 4;
    const lines = inflateSync(png.subarray(start, start + png.readUInt32BE(start - 8)));
    expect([...lines]).toEqual([0, 0, 100, 200, 100, 0, 50, 50, 50, 50]);
  });
});
