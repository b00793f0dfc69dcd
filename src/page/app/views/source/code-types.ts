/** Document types of source code, whose text is shown in a fixed-width font. */
export const CODE_TYPES: ReadonlySet<string> = new Set(
  'js ts py css go rs java kt scala swift c cpp cs rb php lua r pl sh sql yaml toml xml'.split(' '),
);

export const isCode = (documentType: string): boolean => CODE_TYPES.has(documentType);
