const PLACEHOLDER = /\{([a-zA-Z_]\w*)\}/g;

/** The names in braces, each once; braces around anything else are part of the text. */
export const placeholdersOf = (template: string): string[] => [
  ...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)),
];

/** In one pass, so that what looks like a placeholder within a value stays what it is; those without a value stay too. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
