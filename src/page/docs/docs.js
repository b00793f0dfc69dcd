import { element, prose, unfolding } from './elements.js';
import { kindOf, resolve, schemaView } from './schema-view.js';
import { tryForm } from './try-form.js';

// The OpenAPI document of this service.

const DESCRIPTION = '/v3/openapi.json';
const place = (id) => document.getElementById(id);

function show(description) {
  const operations = operationsOf(description);
  const tags = description.tags.map((tag) => ({
    ...tag,
    operations: operations.filter((each) => each.tag === tag.name),
  }));
  place('title').textContent = `${description.info.title} ${description.info.version}`;
  place('main').replaceChildren(
    ...prose(description.info.summary),
    ...prose(description.info.description),
    element('p', {}, element('a', { href: DESCRIPTION }, 'Complete OpenAPI 3.1 description')),
    ...tags.flatMap(({ name, description: about, operations: own }) => [
      element('h2', {}, name),
      element('p', { className: 'quiet' }, about),
      ...own.map((operation) => operationView(operation, description)),
    ]),
  );
  const list = () => place('index').replaceChildren(...tags.flatMap((tag) => entries(tag, place('find').value)));
  place('find').addEventListener('input', list);
  list();
  openNamed();
  addEventListener('hashchange', openNamed);
}

const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method, tag: operation.tags[0] })),
  );

function entries({ name, operations }, wanted) {
  const words = wanted.toLowerCase().split(/\s+/);
  const fitting = operations.filter(({ method, path, summary, operationId }) => {
    const text = `${method} ${path} ${summary} ${operationId}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (fitting.length === 0) return [];
  const links = fitting.map(({ summary, operationId, method, path }) =>
    element('a', { href: `#${operationId}`, title: `${method.toUpperCase()} ${path}` }, summary),
  );
  return [element('strong', {}, name), ...links];
}

function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.tagName !== 'DETAILS') return;
  named.open = true;
  named.scrollIntoView();
}

function operationView(operation, description) {
  const { method, path, summary, operationId } = operation;
  const head = [
    element('span', { className: 'method', data: { method } }, method),
    element('span', { className: 'path' }, path),
    element('span', { className: 'quiet' }, summary),
  ];
  return unfolding({ className: 'operation', id: operationId }, head, () => [
    ...prose(operation.description),
    ...parametersView(operation, description),
    ...bodyView(operation, description),
    ...answersView(operation, description),
    tryForm(operation, description, () => place('token').value.trim()),
  ]);
}

function parametersView({ parameters = [] }, description) {
  if (parameters.length === 0) return [];
  return [
    element('h3', {}, 'Parameters'),
    ...parameters.map(({ name, in: where, required, schema, description: about }) =>
      element(
        'div',
        { className: 'member' },
        element('code', {}, name),
        required ? element('span', { className: 'bad', title: 'required' }, '*') : '',
        element('span', { className: 'quiet' }, ` in ${where}, ${kindOf(schema, description)}. ${about ?? ''}`),
      ),
    ),
  ];
}

function bodyView({ requestBody }, description) {
  if (requestBody === undefined) return [];
  return [
    element('h3', {}, requestBody.required ? 'Body' : 'Body (optional)'),
    ...Object.entries(requestBody.content).flatMap(([type, content]) => [
      contentView(type, content, description),
      ...Object.entries(content.examples ?? {}).map(([name, { value }]) =>
        unfolding({}, `Example: ${name}`, () => element('pre', {}, JSON.stringify(value, null, 2))),
      ),
    ]),
  ];
}

function answersView({ responses }, description) {
  return [
    element('h3', {}, 'Answers'),
    ...Object.entries(responses).map(([status, response]) => {
      const { description: about, headers = {}, content = {} } = resolve(response, description);
      return unfolding({ className: 'member' }, [element('code', {}, status), ` ${about}`], () => [
        ...Object.entries(headers).map(([name, header]) =>
          element('div', { className: 'quiet' }, element('code', {}, name), ` ${header.description ?? ''}`),
        ),
        ...Object.entries(content).map(([type, each]) => contentView(type, each, description)),
      ]);
    }),
  ];
}

const contentView = (type, { schema }, description) =>
  unfolding(
    { className: 'member', open: false },
    [element('code', {}, type), ` ${kindOf(schema, description)}`],
    () => [...prose(schema?.description), schemaView(schema ?? {}, description)],
  );

// Last, because it uses the declarations above.
try {
  const response = await fetch(DESCRIPTION);
  if (!response.ok) throw new Error(`the server answered with ${response.status}`);
  show(await response.json());
} catch (error) {
  place('state').textContent = `The description at ${DESCRIPTION} could not be read: ${error.message}.`;
}
