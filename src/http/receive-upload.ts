import type { Request, RequestHandler } from 'express';
import type { MulterError } from 'multer';
import { ServiceError } from '../errors.ts';
import { errorMessage } from '../shared/error-message.ts';
import { withoutControls } from '../shared/text.ts';
import { invalidField } from './check-shape.ts';
import type { HttpLimits, HttpServices } from './http-services.ts';
import { bodyText, parseJson, receiveBytes } from './read-request.ts';
import { removeUpload, type StoredUpload, takeUpload, uploadStorage } from './stored-upload.ts';

/** The contract has eight fields and one file; the rest allows for fields that clients add. */
const MAX_FIELDS = 50;

/** An upload as sent: text fields by name (repeated ones as lists), and the file if there is one. */
export interface Upload {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly file: UploadedFile | undefined;
}

export interface UploadedFile {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  readonly mediaType: string;
  /** SHA-256 in hexadecimal, if known. */
  readonly contentHash?: string;
}

/**
 * Streams the file of a multipart body to this folder, and receives any other body as bytes. The file is removed when
 * the request ends or the upload is interrupted.
 */
export function receiveUpload(services: UploadServices): RequestHandler[] {
  const { limits } = services;
  let loading: Promise<RequestHandler> | undefined;
  const receiveMultipart: RequestHandler = async (request, response, next) => {
    if (!request.is('multipart')) return next();
    // Text fields are the only other large part of a form.
    if (Number(request.get('content-length')) > limits.file + limits.field) return next(tooLarge(limits));
    loading ??= multipartReceiver(services);
    const receiveParts = await loading;
    response.once('close', () => {
      if (request.file !== undefined) void removeUpload(request.file.path).catch(() => undefined);
    });
    receiveParts(request, response, (thrown: unknown) => next(thrown && toServiceError(thrown, limits)));
  };
  return [receiveMultipart, receiveBytes(limits.field)];
}

type UploadServices = Pick<HttpServices, 'limits' | 'maxFileBytes' | 'uploadFolder'>;

/** Multer is loaded on the first multipart request. */
async function multipartReceiver({
  limits,
  maxFileBytes,
  uploadFolder: folder,
}: UploadServices): Promise<RequestHandler> {
  const { default: multer } = await import('multer');
  return multer({
    storage: uploadStorage({ folder, limitsFormats: maxFileBytes === undefined }),
    defParamCharset: 'utf8',
    limits: {
      fileSize: limits.file,
      fieldSize: limits.field,
      files: 1,
      fields: MAX_FIELDS,
      parts: MAX_FIELDS + 1,
      fieldNameSize: 100,
      fieldNestingDepth: 0,
    },
  }).single('file');
}

/** The fields of a multipart, form or JSON body, and its file. Can be called once, and only behind `receiveUpload`. */
export async function readUpload(request: Request): Promise<Upload> {
  const { file } = request;
  if (request.is('multipart')) {
    return {
      fields: withoutBlanks(Object.entries(request.body)),
      file: file && (await readFile(file)),
    };
  }
  const text = bodyText(request);
  if (request.is('application/x-www-form-urlencoded')) {
    const pairs = new URLSearchParams(text);
    const fields = [...new Set(pairs.keys())].map((key): [string, unknown] => {
      const values = pairs.getAll(key);
      return [key, values.length > 1 ? values : values[0]];
    });
    return { fields: withoutBlanks(fields), file: undefined };
  }
  const value = text.trim() === '' ? {} : parseJson(text, ['body']);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField('dict_type', ['body'], 'Send a multipart form, or a JSON object with raw_text or chunks.');
  }
  return { fields: { ...value }, file: undefined };
}

async function readFile(file: Express.Multer.File & Partial<StoredUpload>): Promise<UploadedFile> {
  const { originalname, mimetype: mediaType, contentHash } = file;
  // An encoded name (`filename*`) may contain any character, and becomes the title of the document.
  const fileName = withoutControls(originalname);
  const bytes = await takeUpload(file);
  return { bytes, fileName, mediaType, ...(contentHash !== undefined && { contentHash }) };
}

/** Treats empty fields and the text "null" as absent, because forms have no other way to express it. */
function withoutBlanks(fields: readonly (readonly [name: string, value: unknown])[]): Record<string, unknown> {
  const isBlank = (name: string, value: unknown) => value === '' || (value === 'null' && name !== 'raw_text');
  const kept = fields.map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? value.filter((each) => !isBlank(name, each)) : value,
  ]);
  return Object.fromEntries(
    kept.filter(([name, value]) => (Array.isArray(value) ? value.length > 0 : !isBlank(name, value))),
  );
}

const tooLarge = ({ file }: HttpLimits): ServiceError =>
  new ServiceError(
    'too_large',
    `The file is larger than ${file} bytes, the limit of an upload (CITEWELL_MAX_FILE_MB).`,
  );

const isMulterError = (thrown: unknown): thrown is MulterError =>
  thrown instanceof Error && thrown.name === 'MulterError';

function toServiceError(thrown: unknown, limits: HttpLimits): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (!isMulterError(thrown)) {
    // The parser's messages name only parts of the form, so they are safe to show.
    const reason = errorMessage(thrown);
    return new ServiceError('invalid_request', `The multipart form could not be read: ${reason}.`, { cause: thrown });
  }
  switch (thrown.code) {
    case 'LIMIT_FILE_SIZE':
      return tooLarge(limits);
    case 'LIMIT_FIELD_VALUE':
      return new ServiceError(
        'too_large',
        `The field "${thrown.field}" is larger than ${limits.field} bytes; send it as a file.`,
      );
    case 'LIMIT_UNEXPECTED_FILE':
    case 'LIMIT_FILE_COUNT':
      return invalidField('value_error', ['body', 'file'], 'Send one file, in the part named "file".', thrown.field);
    default:
      return invalidField('value_error', ['body', thrown.field ?? 'form'], `${thrown.message}.`);
  }
}
