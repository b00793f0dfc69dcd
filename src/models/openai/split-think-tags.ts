import type { ModelEvent } from '../model.ts';

const OPENING_TAG = '<think>';
const CLOSING_TAG = '</think>';

/**
 * Separates thinking from text for local servers that leave the model's `<think>` tags in the text. Only an opening tag
 * at the very start counts; later ones are part of the text.
 */
export function splitThinkTags(): {
  push(text: string): Generator<ModelEvent, void>;
  /** Emits text held back as a possible tag. */
  end(): Generator<ModelEvent, void>;
} {
  let state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  let held = '';

  function* push(text: string): Generator<ModelEvent, void> {
    held += text;
    if (state === 'start') {
      const beginning = held.trimStart();
      if (beginning.length < OPENING_TAG.length && OPENING_TAG.startsWith(beginning)) return;
      if (beginning.startsWith(OPENING_TAG)) held = beginning.slice(OPENING_TAG.length);
      state = beginning.startsWith(OPENING_TAG) ? 'thinking' : 'text';
    }
    if (state === 'thinking') {
      const close = held.indexOf(CLOSING_TAG);
      const until = close === -1 ? held.length - partialTagLength(held) : close;
      if (until > 0) yield { type: 'thinking', text: held.slice(0, until) };
      if (close === -1) {
        held = held.slice(until);
        return;
      }
      held = held.slice(close + CLOSING_TAG.length);
      state = 'after';
    }
    if (state === 'after') {
      held = held.trimStart();
      if (held === '') return;
      state = 'text';
    }
    yield* flush('text');
  }

  function* flush(type: 'text' | 'thinking'): Generator<ModelEvent, void> {
    if (held !== '') yield { type, text: held };
    held = '';
  }

  return { push, end: () => flush(state === 'thinking' ? 'thinking' : 'text') };
}

/** Length of the longest suffix of `text` that is a prefix of the closing tag. */
function partialTagLength(text: string): number {
  for (let length = Math.min(CLOSING_TAG.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSING_TAG.slice(0, length))) return length;
  }
  return 0;
}
