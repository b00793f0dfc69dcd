/** A name as it is shown: characters that reverse its direction, so that it looks like another one, become visible. */
export const shownName = (name: string): string => name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
