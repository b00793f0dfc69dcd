import { signal } from '@preact/signals';

const latest = signal('');

/** Announces a text to screen readers after their current output. */
export function announce(text: string): void {
  // Only a change is read out, so that a text that follows itself differs by an invisible space.
  latest.value = text === latest.peek() ? `${text}\u00a0` : text;
}

/** The polite live region; a single one, so that announcements do not interrupt each other. */
export function Announcements() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {latest.value}
    </div>
  );
}
