import type { Reader } from './reader.ts';

/**
 * The registry of readable formats: one row per format. Detection, size limits, supported files and messages are all
 * derived from it.
 */
export interface FileType {
  /** The short name (docs/contract.md 6.2). */
  readonly type: string;
  readonly extensions: readonly string[];
  /** The first one is written into records; the others are understood as well. */
  readonly mediaTypes: readonly [string, ...string[]];
  readonly maxBytes: number;
  /** On first use: a PDF parser is not needed for ingesting notes. */
  readonly load: () => Promise<Reader>;
  /** The signature the bytes share with other formats, so that a damaged file is recognised by its name only. */
  readonly sharedSignature?: 'zip' | 'compound';
  /** True for formats that can contain files of any format. */
  readonly isContainer?: boolean;
  /** True where an image reader has to be configured. */
  readonly isImage?: boolean;
  /** True for source code. */
  readonly isCode?: boolean;
}

const MB = 1_000_000;

const prose: readonly FileType[] = [
  {
    type: 'txt',
    extensions: ['txt', 'text', 'log'],
    mediaTypes: ['text/plain'],
    maxBytes: 2 * MB,
    load: async () => (await import('./plain/text.ts')).textReader,
  },
  {
    type: 'md',
    extensions: ['md', 'markdown', 'mdown', 'mdx'],
    mediaTypes: ['text/markdown'],
    maxBytes: 2 * MB,
    load: async () => (await import('./markdown/markdown.ts')).markdownReader,
  },
  {
    type: 'html',
    extensions: ['html', 'htm', 'xhtml'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    maxBytes: 5 * MB,
    load: async () => (await import('./html/html.ts')).htmlReader,
  },
  {
    type: 'pdf',
    extensions: ['pdf'],
    mediaTypes: ['application/pdf'],
    maxBytes: 30 * MB,
    load: async () => (await import('./pdf/pdf.ts')).pdfReader,
  },
  {
    type: 'csv',
    extensions: ['csv'],
    mediaTypes: ['text/csv'],
    maxBytes: 5 * MB,
    load: async () => (await import('./plain/csv.ts')).csvReader,
  },
  {
    type: 'tsv',
    extensions: ['tsv', 'tab'],
    mediaTypes: ['text/tab-separated-values'],
    maxBytes: 5 * MB,
    load: async () => (await import('./plain/csv.ts')).csvReader,
  },
  {
    type: 'json',
    extensions: ['json'],
    mediaTypes: ['application/json'],
    maxBytes: 10 * MB,
    load: async () => (await import('./plain/json.ts')).jsonReader,
  },
  {
    type: 'jsonl',
    extensions: ['jsonl', 'ndjson'],
    mediaTypes: ['application/x-ndjson'],
    maxBytes: 10 * MB,
    load: async () => (await import('./plain/json.ts')).jsonReader,
  },
];

const timedAndRun: readonly FileType[] = [
  {
    type: 'ipynb',
    extensions: ['ipynb'],
    mediaTypes: ['application/x-ipynb+json'],
    maxBytes: 20 * MB,
    load: async () => (await import('./notebook.ts')).notebookReader,
  },
  {
    type: 'srt',
    extensions: ['srt'],
    mediaTypes: ['application/x-subrip'],
    maxBytes: 2 * MB,
    load: async () => (await import('./subtitles.ts')).subtitlesReader,
  },
  {
    type: 'vtt',
    extensions: ['vtt'],
    mediaTypes: ['text/vtt'],
    maxBytes: 2 * MB,
    load: async () => (await import('./subtitles.ts')).subtitlesReader,
  },
];

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

const office: readonly FileType[] = [
  {
    type: 'docx',
    extensions: ['docx', 'docm', 'dotx', 'dotm'],
    mediaTypes: [`${OPEN_XML}.wordprocessingml.document`],
    maxBytes: 10 * MB,
    load: async () => (await import('./office/docx.ts')).docxReader,
    sharedSignature: 'zip',
  },
  {
    type: 'pptx',
    extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx'],
    mediaTypes: [`${OPEN_XML}.presentationml.presentation`],
    maxBytes: 20 * MB,
    load: async () => (await import('./office/pptx.ts')).pptxReader,
    sharedSignature: 'zip',
  },
  {
    type: 'xlsx',
    extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
    mediaTypes: [`${OPEN_XML}.spreadsheetml.sheet`],
    maxBytes: 10 * MB,
    load: async () => (await import('./office/xlsx.ts')).xlsxReader,
    sharedSignature: 'zip',
  },
  {
    type: 'odt',
    extensions: ['odt', 'ott'],
    mediaTypes: [`${OPEN_DOCUMENT}.text`],
    maxBytes: 10 * MB,
    load: async () => (await import('./open-document/odt.ts')).odtReader,
    sharedSignature: 'zip',
  },
  {
    type: 'odp',
    extensions: ['odp', 'otp'],
    mediaTypes: [`${OPEN_DOCUMENT}.presentation`],
    maxBytes: 20 * MB,
    load: async () => (await import('./open-document/odp.ts')).odpReader,
    sharedSignature: 'zip',
  },
  {
    type: 'ods',
    extensions: ['ods', 'ots'],
    mediaTypes: [`${OPEN_DOCUMENT}.spreadsheet`],
    maxBytes: 10 * MB,
    load: async () => (await import('./open-document/ods.ts')).odsReader,
    sharedSignature: 'zip',
  },
  {
    type: 'rtf',
    extensions: ['rtf'],
    mediaTypes: ['application/rtf'],
    maxBytes: 10 * MB,
    load: async () => (await import('./rtf/rtf.ts')).rtfReader,
  },
  {
    type: 'doc',
    extensions: ['doc', 'dot'],
    mediaTypes: ['application/msword'],
    maxBytes: 10 * MB,
    load: async () => (await import('./legacy-office/doc.ts')).docReader,
    sharedSignature: 'compound',
  },
  {
    type: 'xls',
    extensions: ['xls', 'xlt'],
    mediaTypes: ['application/vnd.ms-excel'],
    maxBytes: 10 * MB,
    load: async () => (await import('./legacy-office/xls.ts')).xlsReader,
    sharedSignature: 'compound',
  },
  {
    type: 'ppt',
    extensions: ['ppt', 'pps', 'pot'],
    mediaTypes: ['application/vnd.ms-powerpoint'],
    maxBytes: 20 * MB,
    load: async () => (await import('./legacy-office/ppt.ts')).pptReader,
    sharedSignature: 'compound',
  },
];

const mail: readonly FileType[] = [
  {
    type: 'eml',
    extensions: ['eml', 'mht', 'mhtml'],
    mediaTypes: ['message/rfc822'],
    maxBytes: 5 * MB,
    load: async () => (await import('./mail/eml.ts')).emlReader,
    isContainer: true,
  },
  {
    type: 'msg',
    extensions: ['msg'],
    mediaTypes: ['application/vnd.ms-outlook'],
    maxBytes: 5 * MB,
    load: async () => (await import('./mail/msg.ts')).msgReader,
    sharedSignature: 'compound',
    isContainer: true,
  },
  {
    type: 'p7s',
    extensions: ['p7s', 'p7m'],
    mediaTypes: ['application/pkcs7-signature'],
    maxBytes: 5 * MB,
    load: async () => (await import('./mail/p7s.ts')).p7sReader,
    isContainer: true,
  },
  {
    type: 'ics',
    extensions: ['ics', 'ifb'],
    mediaTypes: ['text/calendar', 'application/ics'],
    maxBytes: 5 * MB,
    load: async () => (await import('./plain/calendar.ts')).calendarReader,
  },
];

const markup: readonly FileType[] = [
  {
    type: 'rst',
    extensions: ['rst', 'rest'],
    mediaTypes: ['text/x-rst'],
    maxBytes: 2 * MB,
    load: async () => (await import('./rst/rst.ts')).rstReader,
  },
  {
    type: 'org',
    extensions: ['org'],
    mediaTypes: ['text/org'],
    maxBytes: 2 * MB,
    load: async () => (await import('./plain/org.ts')).orgReader,
  },
  {
    type: 'svg',
    extensions: ['svg'],
    mediaTypes: ['image/svg+xml'],
    maxBytes: 5 * MB,
    load: async () => (await import('./image/svg.ts')).svgReader,
  },
  {
    type: 'epub',
    extensions: ['epub'],
    mediaTypes: ['application/epub+zip'],
    maxBytes: 20 * MB,
    load: async () => (await import('./ebook/epub.ts')).epubReader,
    sharedSignature: 'zip',
  },
];

const archives: readonly FileType[] = [
  {
    type: 'zip',
    extensions: ['zip'],
    mediaTypes: ['application/zip'],
    maxBytes: 50 * MB,
    load: async () => (await import('./containers/zip.ts')).zipReader,
    isContainer: true,
  },
  {
    type: 'tar',
    extensions: ['tar'],
    mediaTypes: ['application/x-tar'],
    maxBytes: 50 * MB,
    load: async () => (await import('./containers/tar.ts')).tarReader,
    isContainer: true,
  },
  {
    type: 'gz',
    extensions: ['gz', 'tgz'],
    mediaTypes: ['application/gzip'],
    maxBytes: 50 * MB,
    load: async () => (await import('./containers/gzip.ts')).gzipReader,
    isContainer: true,
  },
];

const image = (type: string, extensions: readonly string[], mediaType: string): FileType => ({
  type,
  extensions,
  mediaTypes: [mediaType],
  maxBytes: 5 * MB,
  load: async () => (await import('./image/image.ts')).imageReader,
  isImage: true,
});

const images: readonly FileType[] = [
  image('png', ['png'], 'image/png'),
  image('jpg', ['jpg', 'jpeg', 'jpe'], 'image/jpeg'),
  image('gif', ['gif'], 'image/gif'),
  image('webp', ['webp'], 'image/webp'),
  image('bmp', ['bmp'], 'image/bmp'),
  image('tiff', ['tiff', 'tif'], 'image/tiff'),
  image('heic', ['heic', 'heif'], 'image/heic'),
];

const sourceCode: Readonly<Record<string, readonly string[]>> = {
  js: ['js', 'mjs', 'cjs', 'jsx'],
  ts: ['ts', 'mts', 'cts', 'tsx'],
  py: ['py', 'pyi'],
  css: ['css', 'scss', 'less'],
  go: ['go'],
  rs: ['rs'],
  java: ['java'],
  kt: ['kt', 'kts'],
  scala: ['scala'],
  swift: ['swift'],
  c: ['c', 'h'],
  cpp: ['cpp', 'cc', 'cxx', 'hpp', 'hh'],
  cs: ['cs'],
  rb: ['rb'],
  php: ['php'],
  lua: ['lua'],
  r: ['r'],
  pl: ['pl', 'pm'],
  sh: ['sh', 'bash', 'zsh'],
  sql: ['sql'],
  yaml: ['yaml', 'yml'],
  toml: ['toml'],
  xml: ['xml'],
};

/** Where it is not `text/x-` and the type. */
const CODE_MEDIA_TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };

const code = Object.entries(sourceCode).map(
  ([type, extensions]): FileType => ({
    type,
    extensions,
    mediaTypes: [CODE_MEDIA_TYPES[type] ?? `text/x-${type}`],
    maxBytes: 2 * MB,
    load: async () => (await import('./code/code.ts')).codeReader,
    isCode: true,
  }),
);

/** Every readable format. */
export const readableTypes: readonly FileType[] = [
  ...prose,
  ...timedAndRun,
  ...office,
  ...mail,
  ...markup,
  ...archives,
  ...code,
  ...images,
];

const byExtension = new Map(readableTypes.flatMap((known) => known.extensions.map((name) => [name, known] as const)));
const byType = new Map(readableTypes.map((known) => [known.type, known] as const));
const byMediaType = new Map(readableTypes.flatMap((known) => known.mediaTypes.map((name) => [name, known] as const)));

export const typeByExtension = (extension: string): FileType | undefined => byExtension.get(extension);
export const typeByName = (type: string): FileType | undefined => byType.get(type);

/** Parameters such as `; charset=utf-8` are ignored. */
export const typeByMediaType = (mediaType: string): FileType | undefined =>
  byMediaType.get((mediaType.split(';', 1)[0] ?? '').trim().toLowerCase());

/** The last extension of a file name in lower case; empty when there is none. */
export function extensionOf(fileName: string): string {
  return /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
}

/** The list for messages: `txt, md, html…`. */
export const readableTypeList = (): string =>
  [...readableTypes.filter(({ isImage }) => isImage !== true), { type: 'pictures when CITEWELL_READ_IMAGES is set' }]
    .map(({ type }) => type)
    .join(', ');
