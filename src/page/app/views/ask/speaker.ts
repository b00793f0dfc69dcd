import { announce } from '../../shell/announcements.tsx';
import { nextSpoken } from './spoken-sentences.ts';

/** Milliseconds between announcements, so that none is replaced before it was begun. */
const INTERVAL = 1_500;

/** Tells a screen reader of an answer as it is written, whole sentences at a time. */
export function createSpeaker(signal: AbortSignal) {
  let upTo = 0;
  let last = Number.NEGATIVE_INFINITY;
  const speak = (text: string, isComplete: boolean): void => {
    if (signal.aborted) return;
    // A tool call takes back what was written before it.
    if (text.length < upTo) upTo = 0;
    const next = nextSpoken(text, upTo, isComplete);
    upTo = next.upTo;
    if (next.text === '') return;
    last = performance.now();
    announce(next.text);
  };
  return {
    say(text: string): void {
      if (performance.now() - last >= INTERVAL) speak(text, false);
    },
    finish(text: string): void {
      setTimeout(() => speak(text, true), Math.max(0, last + INTERVAL - performance.now()));
    },
  };
}
