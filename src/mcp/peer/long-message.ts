import type { LongLine } from '../../shared/line-splitter.ts';
import { MAX_MESSAGE_BYTES } from './attachment.ts';

const ID = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)`;
/** `id` as the last member of the message. A nested one would be followed by more than one closing brace. */
const LAST = new RegExp(`${ID}\\s*\\}\\s*$`);
const FIRST = new RegExp(
  String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"method"\s*:\s*"[^"]*"\s*,\s*)?${ID}\s*,`,
);
const INVALID_REQUEST = -32_600;

/** Describes a message over the limit, with the JSON-RPC error to reply if the message's id can be read. */
export function rejectLongMessage({ head, tail }: LongLine): { readonly problem: string; readonly reply?: string } {
  const problem = `A message has more than ${MAX_MESSAGE_BYTES} bytes, which is not read. Send less at once, or name a file by its path.`;
  const id = (FIRST.exec(head) ?? LAST.exec(tail))?.[1];
  if (id === undefined) return { problem };
  const error = JSON.stringify({ code: INVALID_REQUEST, message: problem });
  return { problem, reply: `{"jsonrpc":"2.0","id":${id},"error":${error}}\n` };
}
