// Everything on the page is made here, of text: what the description says can never become markup or a script.

/** An element with these properties and children; strings become text. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'data') Object.assign(made.dataset, value);
    else made[key] = value;
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== ''));
  return made;
}

/** Paragraphs, lists of dashes and `code`: as much Markdown as descriptions here have. */
export function prose(text = '') {
  return text.split(/\n{2,}/).map((block) => {
    if (!block.startsWith('- ')) return element('p', {}, inline(block));
    const items = block.split(/\n(?=- )/).map((item) => element('li', {}, inline(item.slice(2))));
    return element('ul', {}, items);
  });
}

export function inline(text = '') {
  return text
    .split(/(`[^`]+`)/)
    .map((piece) => (/^`.+`$/.test(piece) ? element('code', {}, piece.slice(1, -1)) : piece));
}

/** A part that is made when it is opened for the first time. */
export function unfolding(properties, summary, fill) {
  const made = element('details', properties, element('summary', {}, summary));
  made.addEventListener(
    'toggle',
    () => {
      if (made.open) made.append(...[fill()].flat());
    },
    { once: true },
  );
  return made;
}
