/** How a reviewer's comment is written in the text of its document. `place`: what it refers to, such as a cell. */
export function commentText(text: string, author = '', place = ''): string {
  const by = author.trim() === '' ? '' : ` by ${author.trim()}`;
  return `[Comment${place === '' ? '' : ` on ${place}`}${by}: ${text}]`;
}
