import type { FieldIssue } from './errors.ts';

/** What is wrong with a variable. */
export const issue = (variable: string, message: string): FieldIssue => ({
  type: 'configuration',
  loc: [variable],
  msg: message,
});
