/** URI of the MCP App that shows the sources of a result. */
export const SOURCE_APP_URI = 'ui://citewell/source';
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** Tools whose results cite passages. */
export const CITING_TOOLS: ReadonlySet<string> = new Set(['search_file_knowledge', 'check_citations', 'rag']);

/**
 * The app's page: shows the cited page of a document with the passage highlighted. It talks to the host with the MCP
 * Apps extension (revision 2026-01-26) and reads through the host's connection, without network access of its own.
 */
export const sourceApp = (readTool: string): string => PAGE.replace('__READ_TOOL__', readTool);

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cited source</title>
<style>
  :root { color-scheme: light dark; font: 14px/1.5 var(--font-sans, system-ui, sans-serif); }
  body { margin: 0; padding: 12px; background: transparent; color: var(--color-text-primary, CanvasText); }
  nav { display: flex; flex-wrap: wrap; gap: 4px; }
  button { font: inherit; max-width: 100%; padding: 2px 8px; border: 1px solid color-mix(in srgb, currentColor 30%, transparent);
    border-radius: 6px; background: transparent; color: inherit; cursor: pointer; text-align: start; }
  button[aria-pressed='true'] { background: color-mix(in srgb, currentColor 15%, transparent); }
  h1 { font-size: 1em; margin: 12px 0 4px; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 0; max-height: 60vh; overflow: auto; }
  mark { background: #ffe08a; color: #1a1a1a; }
</style>
<nav aria-label="Sources"></nav>
<main aria-live="polite"><p>Waiting for a result.</p></main>
<script type="module">
  const READ_TOOL = '__READ_TOOL__';
  const AROUND = 1500;
  const MAX_LENGTH = 12000;
  let lastId = 0;
  const waiting = new Map();
  const send = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });

  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    if (data.method === undefined) {
      const call = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) call?.reject(new Error(data.error.message));
      else call?.resolve(data.result);
    } else if (data.method === 'ui/notifications/tool-result') show(data.params);
    else if (data.id !== undefined) {
      if (data.method === 'ui/resource-teardown' || data.method === 'ping') send({ id: data.id, result: {} });
      else send({ id: data.id, error: { code: -32601, message: 'Method not found.' } });
    }
  });

  // Each tool names its passages in its own way.
  function sourcesOf({ results, citations, statements } = {}) {
    const found = [
      ...(statements ?? []).flatMap(({ evidence, verdict, text }) =>
        evidence ? [{ ...evidence, label: \`\${verdict}: \${text}\` }] : [],
      ),
      ...(citations ?? []).flatMap(({ quotes, marker, title, document_id }) =>
        quotes.map((quote) => ({ ...quote, title, document_id, label: \`\${marker} \${title}\` })),
      ),
      ...(results ?? []).map(({ start_char, end_char, marker, title, page, document_id }) => ({
        ...{ start: start_char, end: end_char, title, page, document_id, label: \`\${marker} \${title}\` },
      })),
    ];
    return found.filter(({ document_id, start, end }) => document_id && end > start);
  }

  function show(result) {
    const sources = sourcesOf(result?.structuredContent);
    const nav = document.querySelector('nav');
    nav.replaceChildren(
      ...sources.map((source) => {
        const button = document.createElement('button');
        button.textContent = source.label.length > 80 ? \`\${source.label.slice(0, 79)}…\` : source.label;
        button.addEventListener('click', () => open(source, button));
        return button;
      }),
    );
    if (sources.length === 0) say('This result cites no document.');
    else open(sources[0], nav.firstElementChild);
  }

  let opened = 0;
  async function open(source, button) {
    const own = ++opened;
    for (const each of document.querySelectorAll('button')) each.setAttribute('aria-pressed', String(each === button));
    try {
      const part = await read(source);
      if (own === opened) render(source, part);
    } catch (error) {
      if (own === opened) say(\`The source cannot be shown: \${error.message}\`);
    }
  }

  // The page, where the passage stands on one; else what stands around it.
  async function read(source) {
    const { document_id, page, start, end } = source;
    if (page !== undefined) {
      const part = await call({ document_id, page_from: page, max_chars: MAX_LENGTH }).catch(() => undefined);
      if (part && part.offset <= start && part.end_offset >= end) return part;
    }
    const offset = Math.max(0, start - AROUND);
    return call({ document_id, offset, max_chars: Math.min(40000, end - offset + AROUND + 400) });
  }

  async function call(given) {
    const result = await request('tools/call', { name: READ_TOOL, arguments: given });
    if (result.isError) throw new Error(result.content?.[0]?.text ?? 'the server gave no reason');
    return result.structuredContent;
  }

  function render(source, { text, title, offset, place }) {
    const from = Math.max(0, source.start - offset);
    const to = Math.min(text.length, source.end - offset);
    const heading = document.createElement('h1');
    heading.textContent = \`\${title} · \${place}\`;
    const body = document.createElement('pre');
    const mark = document.createElement('mark');
    mark.textContent = text.slice(from, to);
    body.append(text.slice(0, from), mark, text.slice(to));
    body.tabIndex = 0;
    document.querySelector('main').replaceChildren(heading, body);
    mark.scrollIntoView({ block: 'center' });
  }

  function say(words) {
    const line = document.createElement('p');
    line.textContent = words;
    document.querySelector('main').replaceChildren(line);
  }

  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    send({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } });
  }).observe(document.documentElement);

  await request('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'citewell-source', version: '1' },
    appCapabilities: {},
  });
  send({ method: 'ui/notifications/initialized', params: {} });
</script>
</html>
`;
