import type { Reader } from './reader.ts';

/**
 * The registry of readable formats: one row per format. Detection, size limits, supported files and messages are all
 * derived from it.
 */
export interface FileType {
  /** The short name (docs/contract.md 6.2). */
  readonly type: string;
  readonly extensions: readonly string[];
  /** The first one is written into records; the others are accepted as well. */
  readonly mediaTypes: readonly [string, ...string[]];
  readonly maxBytes: number;
  /** Loads the reader on first use, so that ingesting notes does not load a PDF parser. */
  readonly load: () => Promise<Reader>;
  /** The signature that the format shares with others; a damaged file is then recognised only by its name. */
  readonly sharedSignature?: 'zip' | 'compound';
  /** True for formats that can contain files of any format. */
  readonly isContainer?: boolean;
  /** True for formats that require an image reader. */
  readonly isImage?: boolean;
  /** True for formats that require a transcriber. */
  readonly isRecording?: boolean;
  /** True for source code. */
  readonly isCode?: boolean;
}

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

interface Traits
  extends Pick<FileType, 'load' | 'sharedSignature' | 'isContainer' | 'isImage' | 'isRecording' | 'isCode'> {
  /** Larger files are refused. */
  readonly megabytes: number;
}

/** Extensions and media types are separated by spaces. */
const row = (type: string, extensions: string, mediaTypes: string, { megabytes, ...traits }: Traits): FileType => {
  const [mediaType = '', ...others] = mediaTypes.split(' ');
  const maxBytes = megabytes * 1_000_000;
  return { type, extensions: extensions.split(' '), mediaTypes: [mediaType, ...others], maxBytes, ...traits };
};

const image = (type: string, extensions: string): FileType =>
  row(type, extensions, `image/${type === 'jpg' ? 'jpeg' : type}`, {
    megabytes: 5,
    load: async () => (await import('./image/image.ts')).imageReader,
    isImage: true,
  });

/** 25 MB is what OpenAI accepts. */
const recording = (type: string, extensions: string, mediaTypes: string): FileType =>
  row(type, extensions, mediaTypes, {
    megabytes: 25,
    load: async () => (await import('./recording.ts')).recordingReader,
    isRecording: true,
  });

const packed = (type: string, extensions: string, mediaTypes: string): FileType =>
  row(type, extensions, mediaTypes, {
    megabytes: 50,
    load: async () => (await import('./containers/seven-zip.ts')).sevenZipReader,
    isContainer: true,
  });

const code = (type: string, extensions: string, mediaType = `text/x-${type}`): FileType =>
  row(type, extensions, mediaType, {
    megabytes: 10,
    load: async () => (await import('./code/code.ts')).codeReader,
    isCode: true,
  });

/** Every readable format. */
export const readableTypes: readonly FileType[] = [
  row('txt', 'txt text log', 'text/plain', {
    megabytes: 100,
    load: async () => (await import('./plain/text.ts')).textReader,
  }),
  row('md', 'md markdown mdown mdx', 'text/markdown', {
    megabytes: 100,
    load: async () => (await import('./markdown/markdown.ts')).markdownReader,
  }),
  row('html', 'html htm xhtml', 'text/html application/xhtml+xml', {
    megabytes: 15,
    load: async () => (await import('./html/html.ts')).htmlReader,
  }),
  row('pdf', 'pdf', 'application/pdf', { megabytes: 200, load: async () => (await import('./pdf/pdf.ts')).pdfReader }),
  row('csv', 'csv', 'text/csv', { megabytes: 100, load: async () => (await import('./plain/csv.ts')).csvReader }),
  row('tsv', 'tsv tab', 'text/tab-separated-values', {
    megabytes: 100,
    load: async () => (await import('./plain/csv.ts')).csvReader,
  }),
  row('json', 'json', 'application/json', {
    megabytes: 50,
    load: async () => (await import('./plain/json.ts')).jsonReader,
  }),
  row('jsonl', 'jsonl ndjson', 'application/x-ndjson', {
    megabytes: 100,
    load: async () => (await import('./plain/json.ts')).jsonReader,
  }),
  row('ipynb', 'ipynb', 'application/x-ipynb+json', {
    megabytes: 20,
    load: async () => (await import('./notebook.ts')).notebookReader,
  }),
  row('srt', 'srt', 'application/x-subrip', {
    megabytes: 20,
    load: async () => (await import('./subtitles.ts')).subtitlesReader,
  }),
  row('vtt', 'vtt', 'text/vtt', { megabytes: 20, load: async () => (await import('./subtitles.ts')).subtitlesReader }),
  row('docx', 'docx docm dotx dotm', `${OPEN_XML}.wordprocessingml.document`, {
    megabytes: 50,
    load: async () => (await import('./office/docx.ts')).docxReader,
    sharedSignature: 'zip',
  }),
  row('pptx', 'pptx pptm ppsx ppsm potx', `${OPEN_XML}.presentationml.presentation`, {
    megabytes: 100,
    load: async () => (await import('./office/pptx.ts')).pptxReader,
    sharedSignature: 'zip',
  }),
  row('xlsx', 'xlsx xlsm xltx xltm', `${OPEN_XML}.spreadsheetml.sheet`, {
    megabytes: 50,
    load: async () => (await import('./office/xlsx.ts')).xlsxReader,
    sharedSignature: 'zip',
  }),
  row('odt', 'odt ott fodt', `${OPEN_DOCUMENT}.text`, {
    megabytes: 50,
    load: async () => (await import('./open-document/odt.ts')).odtReader,
    sharedSignature: 'zip',
  }),
  row('odp', 'odp otp fodp', `${OPEN_DOCUMENT}.presentation`, {
    megabytes: 100,
    load: async () => (await import('./open-document/odp.ts')).odpReader,
    sharedSignature: 'zip',
  }),
  row('ods', 'ods ots fods', `${OPEN_DOCUMENT}.spreadsheet`, {
    megabytes: 50,
    load: async () => (await import('./open-document/ods.ts')).odsReader,
    sharedSignature: 'zip',
  }),
  row('rtf', 'rtf', 'application/rtf', { megabytes: 10, load: async () => (await import('./rtf/rtf.ts')).rtfReader }),
  row('doc', 'doc dot', 'application/msword', {
    megabytes: 10,
    load: async () => (await import('./legacy-office/doc.ts')).docReader,
    sharedSignature: 'compound',
  }),
  row('xls', 'xls xlt', 'application/vnd.ms-excel', {
    megabytes: 10,
    load: async () => (await import('./legacy-office/xls.ts')).xlsReader,
    sharedSignature: 'compound',
  }),
  row('ppt', 'ppt pps pot', 'application/vnd.ms-powerpoint', {
    megabytes: 20,
    load: async () => (await import('./legacy-office/ppt.ts')).pptReader,
    sharedSignature: 'compound',
  }),
  row('eml', 'eml mht mhtml', 'message/rfc822', {
    megabytes: 50,
    load: async () => (await import('./mail/eml.ts')).emlReader,
    isContainer: true,
  }),
  row('mbox', 'mbox mbx', 'application/mbox', {
    megabytes: 100,
    load: async () => (await import('./mail/mbox.ts')).mboxReader,
    isContainer: true,
  }),
  row('msg', 'msg', 'application/vnd.ms-outlook', {
    megabytes: 50,
    load: async () => (await import('./mail/msg.ts')).msgReader,
    sharedSignature: 'compound',
    isContainer: true,
  }),
  row('p7s', 'p7s p7m', 'application/pkcs7-signature', {
    megabytes: 5,
    load: async () => (await import('./mail/p7s.ts')).p7sReader,
    isContainer: true,
  }),
  row('ics', 'ics ifb', 'text/calendar application/ics', {
    megabytes: 5,
    load: async () => (await import('./plain/calendar.ts')).calendarReader,
  }),
  row('rst', 'rst rest', 'text/x-rst', { megabytes: 20, load: async () => (await import('./rst/rst.ts')).rstReader }),
  // Names end with the section, as in `tar.1`; since `notes.1` may be anything, the content decides.
  row('man', 'man mdoc', 'text/troff', { megabytes: 10, load: async () => (await import('./man/man.ts')).manReader }),
  row('org', 'org', 'text/org', { megabytes: 20, load: async () => (await import('./plain/org.ts')).orgReader }),
  row('svg', 'svg', 'image/svg+xml', { megabytes: 5, load: async () => (await import('./image/svg.ts')).svgReader }),
  row('epub', 'epub', 'application/epub+zip', {
    megabytes: 50,
    load: async () => (await import('./ebook/epub.ts')).epubReader,
    sharedSignature: 'zip',
  }),
  row('zip', 'zip', 'application/zip', {
    megabytes: 50,
    load: async () => (await import('./containers/zip.ts')).zipReader,
    isContainer: true,
  }),
  row('tar', 'tar', 'application/x-tar', {
    megabytes: 50,
    load: async () => (await import('./containers/tar.ts')).tarReader,
    isContainer: true,
  }),
  row('gz', 'gz tgz', 'application/gzip', {
    megabytes: 50,
    load: async () => (await import('./containers/gzip.ts')).gzipReader,
    isContainer: true,
  }),
  packed('7z', '7z', 'application/x-7z-compressed'),
  packed('rar', 'rar', 'application/vnd.rar application/x-rar-compressed'),
  packed('cab', 'cab', 'application/vnd.ms-cab-compressed'),
  packed('bz2', 'bz2 tbz tbz2', 'application/x-bzip2'),
  packed('xz', 'xz txz', 'application/x-xz'),
  packed('zst', 'zst tzst', 'application/zstd'),
  code('js', 'js mjs cjs jsx', 'text/javascript'),
  code('ts', 'ts mts cts tsx'),
  code('py', 'py pyi'),
  code('css', 'css scss less', 'text/css'),
  code('go', 'go'),
  code('rs', 'rs'),
  code('java', 'java'),
  code('kt', 'kt kts'),
  code('scala', 'scala'),
  code('swift', 'swift'),
  code('c', 'c h'),
  code('cpp', 'cpp cc cxx hpp hh'),
  code('cs', 'cs'),
  code('rb', 'rb'),
  code('php', 'php'),
  code('lua', 'lua'),
  code('r', 'r'),
  code('pl', 'pl pm'),
  code('sh', 'sh bash zsh'),
  code('sql', 'sql'),
  code('yaml', 'yaml yml'),
  code('toml', 'toml'),
  code('xml', 'xml'),
  image('png', 'png'),
  image('jpg', 'jpg jpeg jpe'),
  image('gif', 'gif'),
  image('webp', 'webp'),
  image('bmp', 'bmp'),
  image('tiff', 'tiff tif'),
  image('heic', 'heic heif'),
  recording('mp3', 'mp3 mpga', 'audio/mpeg audio/mp3'),
  recording('wav', 'wav', 'audio/wav audio/x-wav audio/wave'),
  recording('m4a', 'm4a m4b', 'audio/mp4 audio/x-m4a'),
  recording('ogg', 'ogg oga opus', 'audio/ogg'),
  recording('flac', 'flac', 'audio/flac audio/x-flac'),
  recording('webm', 'webm', 'video/webm audio/webm'),
  recording('mp4', 'mp4 m4v', 'video/mp4'),
  recording('mpeg', 'mpeg mpg', 'video/mpeg'),
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

/** The list of readable types for messages: `txt, md, html…`. */
export const readableTypeList = (): string =>
  [
    ...readableTypes.filter((each) => !each.isImage && !each.isRecording && !each.isCode).map(({ type }) => type),
    'source code and any other text in UTF-8',
    'pictures when CITEWELL_READ_IMAGES is set',
    'recordings when CITEWELL_TRANSCRIBER is set',
  ].join(', ');
