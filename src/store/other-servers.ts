/** The servers that share the database with this one. */
export interface OtherServers {
  /** Calls the listener when work of a server that has ended is to be done by this one. */
  onTakeOver(listener: () => void): void;
  /** Calls the listener when a table was changed, by this server or another one, that others keep in memory. */
  onChange(listener: (table: 'prompts' | 'vector_spaces') => void): void;
  /** Whether this is the server that does what one does for all, such as learning from the corpus. */
  leads(): boolean;
  /** Calls the listener each time this server becomes the one that leads, at once if it does. */
  onLead(listener: () => void): void;
}
