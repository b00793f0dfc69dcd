/** Two names are of the same thing when they are alike after this: case, width and spacing do not tell them apart. */
export const foldName = (name: string): string =>
  name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim().toWellFormed();
