import { signal } from '@preact/signals';

const latest = signal('');

/** Has a screen reader say the text when it has finished what it says now. */
export function announce(text: string): void {
  latest.value = text;
}

/** The polite live region; there is one, so that announcements never speak over each other. */
export function Announcements() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {latest.value}
    </div>
  );
}
