import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { lazyResult } from '../shared/lazy-result.ts';
import type { ImageReader } from './readers/image/image-reader.ts';

export interface TesseractSettings {
  /** Language codes of Tesseract, joined by a plus: `eng+deu`. */
  readonly languages: string;
  /** Folder for downloaded language data. */
  readonly cacheFolder: string;
  /** A folder with `<language>.traineddata`, optionally with `.gz`; without one the data is downloaded once. */
  readonly dataFolder?: string;
}

const PACKAGE = 'tesseract.js';

/** The used part of the optional package's API, declared here because its types may not be installed. */
interface Tesseract {
  createWorker(languages: string, mode: number, options: object): Promise<Recogniser>;
}

interface Recogniser {
  recognize(picture: Uint8Array): Promise<{ readonly data: { readonly text: string } }>;
}

/** Tesseract's LSTM engine, which its language data is made for. */
const NEURAL = 1;

/** Recognises text (OCR) with the optional package tesseract.js, which is loaded with the first picture. */
export function tesseractImageReader(settings: TesseractSettings, load = loadTesseract): ImageReader {
  // After a failure, the package may be installed, or the network recover, while the service runs.
  const start = lazyResult(() => startRecogniser(settings, load));
  return async ({ bytes, fileName }) => {
    const recogniser = await start();
    try {
      const { data } = await recogniser.recognize(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return data.text;
    } catch (error) {
      throw new ServiceError('invalid_request', `${fileName} is damaged: it cannot be opened as a picture.`, {
        cause: error,
      });
    }
  };
}

async function startRecogniser(settings: TesseractSettings, load: () => Promise<Tesseract>): Promise<Recogniser> {
  const { languages, cacheFolder, dataFolder } = settings;
  const { createWorker } = await load();
  await mkdir(cacheFolder, { recursive: true });
  let fail: (error: unknown) => void = () => undefined;
  // Start errors are reported only through this handler; by default they end the process.
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  try {
    const options = {
      cachePath: cacheFolder,
      ...(dataFolder !== undefined && {
        langPath: dataFolder,
        cacheMethod: 'none',
        gzip: await isPacked(dataFolder, languages),
      }),
      errorHandler: (error: unknown) => fail(error),
    };
    return await Promise.race([createWorker(languages, NEURAL, options), failed]);
  } catch (error) {
    throw new ServiceError(
      'not_configured',
      `The data of the languages ${languages} cannot be loaded. Let this machine reach the network once, or set CITEWELL_OCR_DATA to a folder with <language>.traineddata, such as 4.0.0_best_int of the npm package @tesseract.js-data/eng.`,
      { cause: error },
    );
  }
}

async function isPacked(folder: string, languages: string): Promise<boolean> {
  return access(join(folder, `${languages.split('+', 1)[0]}.traineddata.gz`)).then(
    () => true,
    () => false,
  );
}

async function loadTesseract(): Promise<Tesseract> {
  try {
    const loaded: Tesseract & { readonly default?: Tesseract } = await import(PACKAGE);
    return loaded.default ?? loaded;
  } catch (error) {
    throw new ServiceError(
      'not_configured',
      'CITEWELL_READ_IMAGES is tesseract, but the package tesseract.js is not installed beside Citewell. Run: npm install tesseract.js (with -g if Citewell was installed with -g).',
      { cause: error },
    );
  }
}
