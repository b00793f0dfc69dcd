/** Sources of the evaluated answers. */
export const answersFrom = ['none', 'rag', 'agent'] as const;
export type AnswersFrom = (typeof answersFrom)[number];
