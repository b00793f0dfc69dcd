import { signal } from '@preact/signals';
import { openTabs } from '../../tabs.ts';

const tabs = openTabs('citewell-conversations');

/** Incremented when the list of conversations must be reloaded. */
export const conversationChanges = signal(0);

/** Reloads the list of conversations, and tells the other tabs. */
export function noteConversationChange(id: string): void {
  conversationChanges.value++;
  tellOtherTabs(id);
}

/** Tells the other tabs that a conversation has changed, or that a question in it is being answered. */
export const tellOtherTabs = (id: string): void => {
  if (id !== '') tabs.tell(id);
};

/** Calls the listener with each conversation that another tab has changed; returns a function that ends it. */
export const whenChangedElsewhere = (listener: (id: string) => void): (() => void) =>
  tabs.hear((id) => {
    conversationChanges.value++;
    listener(id);
  });
