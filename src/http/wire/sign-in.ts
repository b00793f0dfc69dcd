import { z } from 'zod';
import { MAX_EMAIL_LENGTH } from '../../access/email-address.ts';
import type { TokenPair } from '../../access/session-tokens.ts';
import { invalidField } from '../check-shape.ts';
import { parseJson } from '../read-request.ts';
import { results } from './record-parts.ts';

const token = <Type extends string>(type: Type) => z.object({ token: z.string(), token_type: z.literal(type) });

export const tokens = results(
  z.object({ access_token: token('access'), refresh_token: token('refresh') }).meta({ id: 'Tokens' }),
) satisfies z.ZodType<{ results: ReturnType<typeof toTokenRecord> }>;

/** docs/contract.md 2. */
export const toTokenRecord = ({ access, refresh }: TokenPair) => ({
  access_token: { token: access, token_type: 'access' },
  refresh_token: { token: refresh, token_type: 'refresh' },
});

/** Reads `username` (or `email`) and `password` from a form or JSON. */
export function readLogin(body: string): { readonly email: string; readonly password: string } {
  const members = membersOf(body);
  return { email: required(members, ['username', 'email']), password: required(members, ['password']) };
}

/** Reads a token sent as plain text, a JSON string, or a member of an object or form (docs/contract.md 1.1). */
export const readRefreshToken = (body: string): string => readWord(body, ['refresh_token', 'refreshToken', 'token']);

/** Reads an e-mail address in the same formats; it is logged, so its length is limited. */
export function readEmail(body: string): string {
  const email = readWord(body, ['email']);
  if (email.length <= MAX_EMAIL_LENGTH) return email;
  throw invalidField('value_error', ['body', 'email'], `An e-mail address has at most ${MAX_EMAIL_LENGTH} characters.`);
}

function readWord(body: string, names: readonly string[]): string {
  const text = body.trim();
  const isForm = names.some((name) => text.startsWith(`${name}=`) || text.includes(`&${name}=`));
  if (text.startsWith('{') || isForm) return required(membersOf(text), names);
  const word = text.startsWith('"') ? parseJson(text, ['body']) : text;
  if (typeof word === 'string' && word.trim() !== '') return word.trim();
  throw invalidField('missing', ['body', names[0] ?? ''], 'Field required');
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.trim().startsWith('{')) return Object.fromEntries(new URLSearchParams(text));
  return parseJson(text, ['body']) as Readonly<Record<string, unknown>>;
}

function required(members: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  const found = names.map((name) => members[name]).find((value) => typeof value === 'string' && value !== '');
  if (typeof found === 'string') return found;
  throw invalidField('missing', ['body', names[0] ?? ''], 'Field required');
}

/** Body of a sign-in to the web page. */
export const sessionLogin = z.object({ email: z.string().min(1), password: z.string().min(1) });
