import { signal } from '@preact/signals';

const latest = signal('');

/** Announces a text to screen readers after their current output. */
export function announce(text: string): void {
  latest.value = text;
}

/** The polite live region; a single one, so that announcements do not interrupt each other. */
export function Announcements() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {latest.value}
    </div>
  );
}
