import type { ZipPart } from './make-docx.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const XML = '<?xml version="1.0" encoding="UTF-8"?>';

export interface Target {
  readonly type: string;
  readonly target: string;
}

export const relations = (targets: readonly Target[]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ({ type, target }, index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

const packageParts = (main: string): ZipPart[] => [
  { name: '[Content_Types].xml', content: `${XML}<Types xmlns="${PACKAGE}/content-types"/>` },
  { name: '_rels/.rels', content: relations([{ type: 'officeDocument', target: main }]) },
];

export interface TestSheet {
  readonly name: string;
  /** The content of `sheetData`, or a whole worksheet when it begins with one. */
  readonly rows: string;
  readonly after?: string;
  readonly state?: string;
}

/** The parts of a workbook; formats are the number formats of the styles 1, 2… */
export function workbookParts(
  sheets: readonly TestSheet[],
  {
    strings = [],
    formats = [],
    properties = '',
  }: { strings?: readonly string[]; formats?: readonly string[]; properties?: string } = {},
): ZipPart[] {
  const targets = [
    ...sheets.map((_, index) => ({ type: 'worksheet', target: `worksheets/sheet${index + 1}.xml` })),
    { type: 'sharedStrings', target: 'sharedStrings.xml' },
    { type: 'styles', target: 'styles.xml' },
  ];
  return [
    ...packageParts('xl/workbook.xml'),
    { name: 'xl/_rels/workbook.xml.rels', content: relations(targets) },
    {
      name: 'xl/workbook.xml',
      content: `${XML}<workbook xmlns:r="${OFFICE}">${properties}<sheets>${sheets
        .map(
          ({ name, state }, index) =>
            `<sheet name="${name}" sheetId="${index + 9}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${index + 1}"/>`,
        )
        .join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/sharedStrings.xml',
      content: `${XML}<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      content: `${XML}<styleSheet><numFmts>${formats
        .map((format, index) => `<numFmt numFmtId="${200 + index}" formatCode="${format}"/>`)
        .join(
          '',
        )}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_, index) => `<xf numFmtId="${200 + index}"/>`).join('')}</cellXfs></styleSheet>`,
    },
    ...sheets.map(({ rows, after = '' }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `${XML}<worksheet><dimension ref="A1:XFD1048576"/><sheetData>${rows}</sheetData>${after}</worksheet>`,
    })),
  ];
}

/** A row of inline strings and numbers. */
export const sheetRow = (number: number, cells: readonly (string | number)[]): string =>
  `<row r="${number}">${cells
    .map((cell, index) => {
      const place = `${String.fromCharCode(65 + index)}${number}`;
      return typeof cell === 'number'
        ? `<c r="${place}"><v>${cell}</v></c>`
        : `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`;
    })
    .join('')}</row>`;

export interface TestSlide {
  readonly shapes: string;
  readonly notes?: string;
  readonly attributes?: string;
}

export const shape = (placeholder: string | undefined, ...lines: readonly string[]): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder === undefined ? '' : `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${lines
    .map((line) => {
      const level = /^\t*/.exec(line)?.[0].length ?? 0;
      return `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${line.trim()}</a:t></a:r></a:p>`;
    })
    .join('')}</p:txBody></p:sp>`;

export function presentationParts(slides: readonly TestSlide[]): ZipPart[] {
  const names = slides.map((_, index) => `slides/slide${index + 1}.xml`);
  return [
    ...packageParts('ppt/presentation.xml'),
    { name: 'ppt/_rels/presentation.xml.rels', content: relations(names.map((target) => ({ type: 'slide', target }))) },
    {
      name: 'ppt/presentation.xml',
      content: `${XML}<p:presentation xmlns:r="${OFFICE}"><p:sldIdLst>${names.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    ...slides.flatMap(({ shapes, notes, attributes = '' }, index): ZipPart[] => [
      {
        name: `ppt/${names[index]}`,
        content: `${XML}<p:sld ${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      },
      ...(notes === undefined
        ? []
        : [
            {
              name: `ppt/slides/_rels/slide${index + 1}.xml.rels`,
              content: relations([{ type: 'notesSlide', target: `../notesSlides/notes${index + 1}.xml` }]),
            },
            {
              name: `ppt/notesSlides/notes${index + 1}.xml`,
              content: `${XML}<p:notes><p:cSld><p:spTree>${shape('body', notes)}${shape('sldNum', '7')}</p:spTree></p:cSld></p:notes>`,
            },
          ]),
    ]),
  ];
}

/** The parts of an OpenDocument file of a kind: `text`, `spreadsheet` or `presentation`. */
export const openDocumentParts = (kind: string, body: string, styles = ''): ZipPart[] => [
  { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}` },
  {
    name: 'content.xml',
    content: `${XML}<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  },
];
