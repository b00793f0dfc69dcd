// All elements are created from text nodes, so the OpenAPI document cannot inject markup or scripts.

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

/** Renders the subset of Markdown used in descriptions: paragraphs, dash lists and `code`. */
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

/** A collapsed section whose content is created when it is first opened. */
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
