import type { FieldIssue } from '../errors.ts';

/** An issue with the value of a variable. */
export const issue = (variable: string, message: string): FieldIssue => ({
  type: 'configuration',
  loc: [variable],
  msg: message,
});
