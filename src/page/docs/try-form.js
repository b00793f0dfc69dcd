import { element } from './elements.js';
import { sendRequest, toCurl } from './request.js';
import { kindOf } from './schema-view.js';

/** A form that sends a request to the service and shows the response. */
export function tryForm(operation, description, token) {
  const fields = (operation.parameters ?? []).map((parameter) => parameterField(parameter, description));
  const body = bodyField(operation, description);
  const output = element('div', { ariaLive: 'polite' });
  const send = element('button', { type: 'submit' }, 'Send');
  const stop = element('button', { type: 'button', disabled: true }, 'Stop');
  const curl = element('button', { type: 'button' }, 'Show as curl');
  const form = element(
    'form',
    {},
    element('strong', {}, 'Try it'),
    fields.map(({ label }) => label),
    body?.label,
    element('div', { className: 'buttons' }, send, stop, curl),
    output,
  );
  const request = () => toRequest(operation, fields, body, token());
  let running;
  stop.addEventListener('click', () => running?.abort());
  curl.addEventListener('click', () => output.replaceChildren(element('pre', {}, toCurl(request()))));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    running = new AbortController();
    send.disabled = true;
    stop.disabled = false;
    try {
      await sendRequest(request(), output, running.signal);
    } catch (error) {
      const words = running.signal.aborted ? 'Stopped.' : `No answer: ${error.message}`;
      output.append(element('p', { className: 'bad' }, words));
    }
    send.disabled = false;
    stop.disabled = true;
  });
  return form;
}

function parameterField(parameter, description) {
  const input = element('input', {
    required: parameter.required === true,
    placeholder: kindOf(parameter.schema, description),
  });
  const note = parameter.schema?.type === 'array' ? ' (separate several with commas)' : '';
  return { parameter, input, label: element('label', {}, `${parameter.name} in ${parameter.in}${note}`, input) };
}

function bodyField({ requestBody }, description) {
  if (requestBody === undefined) return undefined;
  const types = Object.keys(requestBody.content);
  const type = element(
    'select',
    {},
    types.map((each) => element('option', { value: each }, each)),
  );
  const text = element('textarea', { spellcheck: false });
  const file = element('input', { type: 'file' });
  const update = () => {
    const content = requestBody.content[type.value];
    file.hidden = type.value !== 'multipart/form-data';
    text.value = sampleOf(type.value, content, requestBody.content);
  };
  type.addEventListener('change', update);
  update();
  const label = element('label', {}, `Body${requestBody.required ? '' : ' (may be empty)'}`, type, file, text);
  return { type, text, file, label, description };
}

/** The first example; for forms, one field per line. */
function sampleOf(type, content, all) {
  const [example] = Object.values(content.examples ?? all['application/json']?.examples ?? {});
  if (type === 'multipart/form-data') return '';
  if (type === 'application/x-www-form-urlencoded') {
    return Object.keys(content.schema?.properties ?? {})
      .map((name) => `${name}=`)
      .join('&');
  }
  if (example === undefined) return type === 'application/json' ? '{}' : '';
  return JSON.stringify(example.value, null, 2);
}

function toRequest(operation, fields, body, token) {
  let path = operation.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const { parameter, input } of fields) {
    const value = input.value.trim();
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    if (value === '') continue;
    const values = parameter.schema?.type === 'array' ? value.split(',').map((each) => each.trim()) : [value];
    if (parameter.in === 'query') for (const each of values) query.append(parameter.name, each);
    if (parameter.in === 'header') headers[parameter.name] = value;
  }
  if (token !== '') headers.Authorization = `Bearer ${token}`;
  const words = query.toString();
  const url = `${path}${words === '' ? '' : `?${words}`}`;
  return { method: operation.method.toUpperCase(), url, headers, ...bodyOf(body, headers) };
}

function bodyOf(body, headers) {
  if (body === undefined) return {};
  if (body.type.value !== 'multipart/form-data') {
    if (body.text.value.trim() === '') return {};
    headers['Content-Type'] = body.type.value;
    return { body: body.text.value };
  }
  // The text is a JSON object of the form fields; values that are not strings are sent as JSON.
  const form = new FormData();
  const fields = body.text.value.trim() === '' ? {} : JSON.parse(body.text.value);
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const [file] = body.file.files;
  if (file !== undefined) form.append('file', file);
  return { body: form };
}
