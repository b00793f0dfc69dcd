/** Text bank of one language for the pages that `make-pages.ts` generates; all texts were written for this purpose. */
export interface Words {
  readonly code: string;
  readonly direction: 'ltr' | 'rtl';
  readonly titles: readonly string[];
  readonly headings: readonly string[];
  readonly sentences: readonly string[];
  readonly remarks: readonly string[];
  readonly facts: readonly (readonly [string, string])[];
  readonly others: readonly string[];
  readonly sections: readonly string[];
  readonly author: string;
  readonly date: string;
  readonly cookies: string;
  readonly accept: string;
  readonly related: string;
  readonly share: string;
  readonly newsletter: string;
  readonly readAlso: string;
  readonly comments: string;
  readonly advertisement: string;
  readonly rights: string;
}
