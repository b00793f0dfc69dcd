const PLACEHOLDER = /\{([a-zA-Z_]\w*)\}/g;

/** Distinct placeholder names; braces around anything else are literal. */
export const placeholdersOf = (template: string): string[] => [
  ...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)),
];

/** Single pass, so that placeholders inside a value are not expanded. Placeholders without a value are kept. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
