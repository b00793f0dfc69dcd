import { element } from './elements.js';

/** Maximum number of response characters shown. */
const MAX_SHOWN = 200_000;

/** Sends the request and shows the response as it arrives. */
export async function sendRequest({ method, url, headers, body }, output, signal) {
  const started = performance.now();
  output.replaceChildren(element('p', { className: 'quiet' }, 'Waiting…'));
  const response = await fetch(url, { method, headers, body, signal, credentials: 'same-origin' });
  const type = response.headers.get('content-type') ?? '';
  const status = element('p', { className: response.ok ? '' : 'bad' }, `${response.status} ${response.statusText}`);
  const shown = element('pre');
  output.replaceChildren(status, element('p', { className: 'quiet' }, `${type} `), shown);
  if (/json|text|event-stream/.test(type)) await showText(response, type, shown);
  else output.append(await downloadLink(response, url));
  const seconds = (performance.now() - started) / 1000;
  status.append(`, ${seconds.toFixed(2)} s`);
}

async function showText(response, type, shown) {
  const decoder = new TextDecoder();
  let text = '';
  for (let reader = response.body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    if (shown.textContent.length < MAX_SHOWN) shown.textContent = text.slice(0, MAX_SHOWN);
  }
  shown.textContent = clipped(type.includes('json') ? pretty(text) : text);
}

const clipped = (text) =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} characters more` : text;

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function downloadLink(response, url) {
  const blob = await response.blob();
  const name = url.split('?')[0].split('/').at(-1);
  const href = URL.createObjectURL(blob);
  return element('p', {}, element('a', { href, download: name }, `Save ${blob.size} bytes`));
}

/** The request as a curl command; the token is replaced by a placeholder. */
export function toCurl({ method, url, headers, body }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -X ${method} ${quoted(new URL(url, location.origin).href)}`];
  for (const [name, value] of Object.entries(headers)) {
    const shown = name === 'Authorization' ? '"Authorization: Bearer $CITEWELL_TOKEN"' : quoted(`${name}: ${value}`);
    lines.push(`-H ${shown}`);
  }
  if (typeof body === 'string') lines.push(`--data-raw ${quoted(body)}`);
  if (body instanceof FormData) {
    for (const [name, value] of body) {
      lines.push(
        typeof value === 'string'
          ? `--form-string ${quoted(`${name}=${value}`)}`
          : `-F ${quoted(`file=@${value.name}`)}`,
      );
    }
  }
  return lines.join(' \\\n  ');
}
