/** Text → the terms by which two texts are compared; the analyser of the full-text index, handed in. */
export type TermsOf = (text: string) => readonly string[];
