const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Texts for adding and changing sources outside the service's machine. */
export const sources = {
  add: 'Add a source',
  kind: 'Kind of source',
  noKinds: 'No other kinds of sources are available on this server.',
  optional: '(optional)',
  onePerLine: 'One per line.',
  credentials: 'Credentials',
  credentialsNote: 'Stored encrypted and never shown again.',
  replaceCredentials: (hasSome: boolean) => (hasSome ? 'Replace the stored credentials' : 'Give credentials'),
  schedule: 'Synchronised',
  every: (minutes: number): string =>
    ({ 1: 'Every minute', [HOUR]: 'Every hour', [DAY]: 'Every day', [WEEK]: 'Every week' })[minutes] ??
    (minutes % HOUR === 0
      ? `Every ${(minutes / HOUR).toLocaleString('en')} hours`
      : `Every ${minutes.toLocaleString('en')} minutes`),
  onlyWhenAsked: 'Only on request',
  keepDeleted: 'Keep documents of deleted items',
  added: (location: string) => `${location} is followed. Its documents are being added.`,
  addAnyway: {
    action: 'Add anyway',
    hint: 'Correct the entries if they are wrong. If it just cannot be reached now, add it anyway and synchronise it later.',
  },
  change: 'Change',
  changeTitle: (location: string) => `Change how ${location} is followed`,
  save: 'Save',
  saveAnyway: {
    action: 'Save anyway',
    hint: 'Correct the entries if they are wrong. If it just cannot be reached now, save them anyway and synchronise later.',
  },
  changed: 'Changed.',
  lastSync: (when: string) => `Last synchronised ${when}`,
  nextSync: (when: string) => `Next synchronisation ${when}`,
  due: 'Next synchronisation due',
  notScheduled: 'Synchronised only on request',
};
