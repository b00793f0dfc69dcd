import { ServiceError } from '../errors.ts';

const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,190}$/;

/** Maximum length that `EMAIL` accepts. */
export const MAX_EMAIL_LENGTH = 255;

/** Throws `invalid_request` if this is not an e-mail address. */
export function checkEmail(email: string): void {
  if (EMAIL.test(email)) return;
  throw new ServiceError('invalid_request', 'This is not an e-mail address; expected one such as ada@example.org.');
}

/** The error of a write that failed because another user has this e-mail address; other errors unchanged. */
export const orEmailTaken = (error: unknown, email: string): unknown =>
  error instanceof ServiceError && error.code === 'conflict' ? emailTaken(email) : error;

export const emailTaken = (email: string): ServiceError =>
  new ServiceError('invalid_request', `User with email ${email.toLowerCase()} already exists.`);
