import { announce } from '../../shell/announcements.tsx';
import { nextSpoken } from './spoken-sentences.ts';

/** Minimum milliseconds between announcements, so that none is replaced before it is read. */
const INTERVAL = 1_500;

/** Announces an answer to screen readers while it is generated, in whole sentences. */
export function createSpeaker(signal: AbortSignal) {
  let upTo = 0;
  let last = Number.NEGATIVE_INFINITY;
  const speak = (text: string, isComplete: boolean): void => {
    if (signal.aborted) return;
    // A tool call retracts the text before it.
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
