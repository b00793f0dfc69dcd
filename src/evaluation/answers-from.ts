/** What gives the answers that are judged. */
export const answersFrom = ['none', 'rag', 'agent'] as const;
export type AnswersFrom = (typeof answersFrom)[number];
