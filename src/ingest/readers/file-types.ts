/** A file format: its short name (docs/contract.md 6.2), its file extensions and media types, and its size limit. */
export interface FileType {
  readonly type: string;
  readonly extensions: readonly string[];
  readonly mediaType: string;
  readonly maxBytes: number;
  readonly reader:
    | 'text'
    | 'markdown'
    | 'html'
    | 'pdf'
    | 'docx'
    | 'pptx'
    | 'xlsx'
    | 'openDocumentText'
    | 'openDocumentSlides'
    | 'openDocumentSheets'
    | 'rtf'
    | 'doc'
    | 'xls'
    | 'ppt'
    | 'csv'
    | 'json'
    | 'notebook'
    | 'subtitles'
    | 'code'
    | 'mail'
    | 'outlook'
    | 'signed'
    | 'calendar'
    | 'epub'
    | 'rst'
    | 'org'
    | 'svg'
    | 'zip'
    | 'tar'
    | 'gzip'
    | 'image';
}

const MB = 1_000_000;

const prose: readonly FileType[] = [
  { type: 'txt', extensions: ['txt', 'text', 'log'], mediaType: 'text/plain', maxBytes: 2 * MB, reader: 'text' },
  {
    type: 'md',
    extensions: ['md', 'markdown', 'mdown', 'mdx'],
    mediaType: 'text/markdown',
    maxBytes: 2 * MB,
    reader: 'markdown',
  },
  { type: 'html', extensions: ['html', 'htm', 'xhtml'], mediaType: 'text/html', maxBytes: 5 * MB, reader: 'html' },
  { type: 'pdf', extensions: ['pdf'], mediaType: 'application/pdf', maxBytes: 30 * MB, reader: 'pdf' },
  { type: 'csv', extensions: ['csv'], mediaType: 'text/csv', maxBytes: 5 * MB, reader: 'csv' },
  {
    type: 'tsv',
    extensions: ['tsv', 'tab'],
    mediaType: 'text/tab-separated-values',
    maxBytes: 5 * MB,
    reader: 'csv',
  },
  { type: 'json', extensions: ['json'], mediaType: 'application/json', maxBytes: 10 * MB, reader: 'json' },
  {
    type: 'jsonl',
    extensions: ['jsonl', 'ndjson'],
    mediaType: 'application/x-ndjson',
    maxBytes: 10 * MB,
    reader: 'json',
  },
];

const timedAndRun: readonly FileType[] = [
  {
    type: 'ipynb',
    extensions: ['ipynb'],
    mediaType: 'application/x-ipynb+json',
    maxBytes: 20 * MB,
    reader: 'notebook',
  },
  { type: 'srt', extensions: ['srt'], mediaType: 'application/x-subrip', maxBytes: 2 * MB, reader: 'subtitles' },
  { type: 'vtt', extensions: ['vtt'], mediaType: 'text/vtt', maxBytes: 2 * MB, reader: 'subtitles' },
];

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

const office: readonly FileType[] = [
  {
    type: 'docx',
    extensions: ['docx', 'docm', 'dotx', 'dotm'],
    mediaType: `${OPEN_XML}.wordprocessingml.document`,
    maxBytes: 10 * MB,
    reader: 'docx',
  },
  {
    type: 'pptx',
    extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx'],
    mediaType: `${OPEN_XML}.presentationml.presentation`,
    maxBytes: 20 * MB,
    reader: 'pptx',
  },
  {
    type: 'xlsx',
    extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
    mediaType: `${OPEN_XML}.spreadsheetml.sheet`,
    maxBytes: 10 * MB,
    reader: 'xlsx',
  },
  {
    type: 'odt',
    extensions: ['odt', 'ott'],
    mediaType: `${OPEN_DOCUMENT}.text`,
    maxBytes: 10 * MB,
    reader: 'openDocumentText',
  },
  {
    type: 'odp',
    extensions: ['odp', 'otp'],
    mediaType: `${OPEN_DOCUMENT}.presentation`,
    maxBytes: 20 * MB,
    reader: 'openDocumentSlides',
  },
  {
    type: 'ods',
    extensions: ['ods', 'ots'],
    mediaType: `${OPEN_DOCUMENT}.spreadsheet`,
    maxBytes: 10 * MB,
    reader: 'openDocumentSheets',
  },
  { type: 'rtf', extensions: ['rtf'], mediaType: 'application/rtf', maxBytes: 10 * MB, reader: 'rtf' },
  { type: 'doc', extensions: ['doc', 'dot'], mediaType: 'application/msword', maxBytes: 10 * MB, reader: 'doc' },
  { type: 'xls', extensions: ['xls', 'xlt'], mediaType: 'application/vnd.ms-excel', maxBytes: 10 * MB, reader: 'xls' },
  {
    type: 'ppt',
    extensions: ['ppt', 'pps', 'pot'],
    mediaType: 'application/vnd.ms-powerpoint',
    maxBytes: 20 * MB,
    reader: 'ppt',
  },
];

const mail: readonly FileType[] = [
  { type: 'eml', extensions: ['eml', 'mht', 'mhtml'], mediaType: 'message/rfc822', maxBytes: 5 * MB, reader: 'mail' },
  { type: 'msg', extensions: ['msg'], mediaType: 'application/vnd.ms-outlook', maxBytes: 5 * MB, reader: 'outlook' },
  {
    type: 'p7s',
    extensions: ['p7s', 'p7m'],
    mediaType: 'application/pkcs7-signature',
    maxBytes: 5 * MB,
    reader: 'signed',
  },
  { type: 'ics', extensions: ['ics', 'ifb'], mediaType: 'text/calendar', maxBytes: 5 * MB, reader: 'calendar' },
];

const markup: readonly FileType[] = [
  { type: 'rst', extensions: ['rst', 'rest'], mediaType: 'text/x-rst', maxBytes: 2 * MB, reader: 'rst' },
  { type: 'org', extensions: ['org'], mediaType: 'text/org', maxBytes: 2 * MB, reader: 'org' },
  { type: 'svg', extensions: ['svg'], mediaType: 'image/svg+xml', maxBytes: 5 * MB, reader: 'svg' },
  { type: 'epub', extensions: ['epub'], mediaType: 'application/epub+zip', maxBytes: 20 * MB, reader: 'epub' },
];

const archives: readonly FileType[] = [
  { type: 'zip', extensions: ['zip'], mediaType: 'application/zip', maxBytes: 50 * MB, reader: 'zip' },
  { type: 'tar', extensions: ['tar'], mediaType: 'application/x-tar', maxBytes: 50 * MB, reader: 'tar' },
  { type: 'gz', extensions: ['gz', 'tgz'], mediaType: 'application/gzip', maxBytes: 50 * MB, reader: 'gzip' },
];

const image = (type: string, extensions: readonly string[], mediaType: string): FileType => ({
  type,
  extensions,
  mediaType,
  maxBytes: 5 * MB,
  reader: 'image',
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

const code = Object.entries(sourceCode).map(
  ([type, extensions]): FileType => ({
    type,
    extensions,
    mediaType: type === 'js' ? 'text/javascript' : type === 'css' ? 'text/css' : `text/x-${type}`,
    maxBytes: 2 * MB,
    reader: 'code',
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
const byMediaType = new Map(readableTypes.map((known) => [known.mediaType, known] as const));

/** True for formats that can contain files of any format. */
export const isContainer = ({ reader }: FileType): boolean => CONTAINERS.has(reader);

const CONTAINERS: ReadonlySet<FileType['reader']> = new Set(['zip', 'tar', 'gzip', 'mail', 'outlook', 'signed']);

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
  [...readableTypes.filter(({ reader }) => reader !== 'image'), { type: 'pictures when CITEWELL_READ_IMAGES is set' }]
    .map(({ type }) => type)
    .join(', ');
