import {
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  type McpServer,
  type McpServerOptions,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

// Tools, prompts and resources that the official conformance suite requires. Names and texts are the suite's.

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SOUND = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

const states = createRequestStateCodec<{ readonly step: number }>({
  key: 'a key of tests, long enough for it'.repeat(2),
});

/** Server options for the fixtures. */
export const fixtureOptions: McpServerOptions = {
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    logging: {},
    completions: {},
  },
  requestState: { verify: states.verify },
};

const ask = (message: string, property: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [property]: { type } as never }, required: [property] },
  });
const sample = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });

type Handler = (context: ServerContext) => unknown;

/** Registers them beside the real tools. */
export function addFixtures(server: McpServer): void {
  const tool = (name: string, handler: Handler) =>
    server.registerTool(
      name,
      { description: `Fixture of the conformance suite: ${name}`, inputSchema: z.object({}) },
      (_input, context) => handler(context) as never,
    );

  tool('test_simple_text', () => text('This is a simple text response for testing.'));
  tool('test_image_content', () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }));
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] }));
  const embedded = (uri: string) => ({
    type: 'resource',
    resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource content.' },
  });
  tool('test_embedded_resource', () => ({ content: [embedded('test://embedded-resource')] }));
  tool('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      embedded('test://mixed-content-resource'),
    ],
  }));
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    tool(name, async ({ mcpReq }) => {
      for (const step of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', step);
        await pause();
      }
      return text('Tool with logging executed successfully');
    });
  }
  tool('test_tool_with_progress', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      }
      await pause();
    }
    return text(String(progressToken));
  });
  tool('test_trigger_tool_change', () => {
    server.sendToolListChanged();
    return text('Changed.');
  });
  tool('test_trigger_prompt_change', () => {
    server.sendPromptListChanged();
    return text('Changed.');
  });
  addQuestions(server, tool);
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(SCHEMA_2020_12) },
    () => text('ok'),
  );
  server.registerTool(
    'test_header_parameter',
    {
      description: 'A tool with an argument that is mirrored in a header',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      } as never),
    },
    () => text('ok'),
  );
  addResources(server);
  addPrompts(server);
  if (server.server.getNegotiatedProtocolVersion() === undefined) addLegacyHandlers(server);
}

function addLegacyHandlers({ server }: McpServer): void {
  server.setRequestHandler('logging/setLevel', () => ({}));
}

/** Tools that need input from the client before they can answer. */
function addQuestions(server: McpServer, tool: (name: string, handler: Handler) => unknown): void {
  const answered = ({ mcpReq }: ServerContext, key: string) => mcpReq.inputResponses?.[key];

  tool('test_input_required_result_elicitation', (context) =>
    answered(context, 'user_name') === undefined
      ? inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
      : text('Hello!'),
  );
  tool('test_streaming_elicitation', (context) =>
    answered(context, 'user_name') === undefined
      ? inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
      : text('Hello!'),
  );
  tool('test_input_required_result_sampling', (context) =>
    answered(context, 'capital_question') === undefined
      ? inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } })
      : text('Answered.'),
  );
  tool('test_missing_capability', () => inputRequired({ inputRequests: { question: sample('Anything?') } }));
  tool('test_input_required_result_list_roots', (context) =>
    answered(context, 'client_roots') === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : text(JSON.stringify(answered(context, 'client_roots'))),
  );
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    tool(name, async (context) => {
      const state = context.mcpReq.requestState<{ readonly step: number }>();
      if (answered(context, 'confirm') !== undefined && state?.step === 1) return text('state-ok');
      return inputRequired({
        inputRequests: { confirm: ask('Please confirm', 'ok', 'boolean') },
        requestState: await states.mint({ step: 1 }, context),
      });
    });
  }
  tool('test_input_required_result_multiple_inputs', async (context) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => answered(context, key) !== undefined)) return text('All there.');
    return inputRequired({
      inputRequests: {
        user_name: ask('What is your name?', 'name'),
        greeting: sample('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint({ step: 1 }, context),
    });
  });
  tool('test_input_required_result_multi_round', async (context) => {
    const step = context.mcpReq.requestState<{ readonly step: number }>()?.step ?? 0;
    if (step === 2 && answered(context, 'step2') !== undefined) return text('Both there.');
    return step === 1 && answered(context, 'step1') !== undefined
      ? inputRequired({
          inputRequests: { step2: ask('Step 2: What is your favorite color?', 'color') },
          requestState: await states.mint({ step: 2 }, context),
        })
      : inputRequired({
          inputRequests: { step1: ask('Step 1: What is your name?', 'name') },
          requestState: await states.mint({ step: 1 }, context),
        });
  });
  tool('test_input_required_result_capabilities', (context) => {
    const envelope: Readonly<Record<string, object>> = (context.mcpReq.envelope ?? {}) as never;
    const declared = envelope['io.modelcontextprotocol/clientCapabilities'] ?? {};
    return inputRequired({
      inputRequests: {
        ...('sampling' in declared ? { question: sample('Anything?') } : {}),
        ...('elicitation' in declared ? { name: ask('What is your name?', 'name') } : {}),
      },
    });
  });
  server.registerTool(
    'test_sampling',
    { description: 'Asks the client for a completion', inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, context) =>
      answered(context, 'completion') === undefined
        ? inputRequired({ inputRequests: { completion: sample(prompt) } })
        : text(`LLM response: ${JSON.stringify(answered(context, 'completion'))}`),
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user through the client', inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) =>
      answered(context, 'answer') === undefined
        ? inputRequired({ inputRequests: { answer: ask(message, 'response') } })
        : text(`User response: ${JSON.stringify(answered(context, 'answer'))}`),
  );
  for (const [name, properties] of Object.entries(FORMS)) {
    tool(name, (context) =>
      answered(context, 'form') === undefined
        ? inputRequired({
            inputRequests: {
              form: inputRequired.elicit({
                message: 'Please fill in the form',
                requestedSchema: { type: 'object', properties, required: [] } as never,
              }),
            },
          })
        : text(`Elicitation completed: ${JSON.stringify(answered(context, 'form'))}`),
    );
  }
}

function addResources(server: McpServer): void {
  const plain = (uri: string, words: string) => ({ contents: [{ uri, mimeType: 'text/plain', text: words }] });
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, (uri) =>
    plain(uri.href, 'This is the content of the static text resource.'),
  );
  server.registerResource('watched-resource', 'test://watched-resource', { mimeType: 'text/plain' }, (uri) =>
    plain(uri.href, 'Watched resource content'),
  );
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const user = <Content>(...content: readonly Content[]) => ({
    messages: content.map((each) => ({ role: 'user' as const, content: each })),
  });
  const description = 'Fixture of the conformance suite';
  const words = (said: string) => ({ type: 'text' as const, text: said });
  server.registerPrompt('test_simple_prompt', { description }, () =>
    user(words('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description,
      argsSchema: z.object({
        arg1: completable(z.string(), (value) => ['paris', 'park', 'party'].filter((each) => each.startsWith(value))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => user(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) =>
      user({
        type: 'resource' as const,
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
  );
  server.registerPrompt('test_prompt_with_image', { description }, () =>
    user({ type: 'image' as const, data: PIXEL, mimeType: 'image/png' }),
  );
  server.registerPrompt('test_input_required_result_prompt', { description }, ({ mcpReq }) =>
    mcpReq.inputResponses?.['user_context'] === undefined
      ? inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', 'context') } })
      : user(words('With that context.')),
  );
}

const options = ['option1', 'option2', 'option3'];
const titled = [1, 2, 3].map((number) => ({ const: `value${number}`, title: `Option ${number}` }));
const FORMS = {
  test_elicitation_sep1034_defaults: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled } },
  },
};

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: it is the keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
