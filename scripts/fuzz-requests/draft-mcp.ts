import type { JsonSchema } from '../../src/http/openapi/json-schema.ts';
import type { DraftedBody } from './draft-body.ts';
import { fromSchema, type SchemaParts } from './from-schema.ts';
import { breakBytes, mutate } from './mutate.ts';
import { invalidString, oddValue } from './odd-values.ts';

/** A tool as listed by MCP. */
export interface OfferedTool {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

const REVISION = '2026-07-28';

const METHODS: readonly [string, ...string[]] = [
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'server/discover',
  'logging/setLevel',
  'ping',
  'initialize',
  'notifications/cancelled',
  'notifications/initialized',
  'tasks/get',
  'nothing/such',
];

/** An MCP message: mostly tool calls, in the newest revision or in a session of an earlier one. */
export function draftMessage(tools: readonly OfferedTool[], session: string, parts: SchemaParts): DraftedBody {
  const { random } = parts;
  const [first, ...others] = tools;
  const isCall = first !== undefined && random.chance(0.6);
  const tool = isCall ? random.pick([first, ...others]) : undefined;
  const method = tool === undefined ? random.pick(METHODS) : 'tools/call';
  const params = tool === undefined ? paramsOf(method, parts) : callOf(tool, parts);
  const isModern = random.chance(0.6);
  const meta = isModern
    ? {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
          ...(random.chance(0.1) && { progressToken: oddValue(random, 4) }),
        },
      }
    : {};
  const isNotice = method.startsWith('notifications/') || random.chance(0.03);
  const message = { jsonrpc: '2.0', ...(isNotice ? {} : { id: 1 }), method, params: { ...params, ...meta } };
  const value = random.chance(0.15) ? mutate(message, random) : message;
  const bytes = Buffer.from(JSON.stringify(random.chance(0.03) ? [value, value] : value) ?? 'null');
  const name = 'name' in params ? String(params.name) : 'uri' in params ? String(params.uri) : undefined;
  return {
    bytes: random.chance(0.05) ? breakBytes(bytes, random) : bytes,
    headers: {
      'content-type': random.chance(0.97) ? 'application/json' : 'text/plain',
      accept: random.chance(0.95) ? 'application/json, text/event-stream' : '*/*',
      ...(isModern
        ? {
            'mcp-protocol-version': random.chance(0.97) ? REVISION : '1999-01-01',
            'mcp-method': random.chance(0.97) ? method : 'ping',
            ...(name !== undefined && /^[\x21-\x7e]+$/.test(name) && { 'mcp-name': name }),
          }
        : { 'mcp-session-id': random.chance(0.9) ? session : 'none', 'mcp-protocol-version': '2025-11-25' }),
    },
  };
}

function callOf({ name, inputSchema }: OfferedTool, parts: SchemaParts): object {
  const fitting = fromSchema(inputSchema, parts);
  return { name, arguments: parts.random.chance(0.5) ? mutate(fitting, parts.random) : fitting };
}

function paramsOf(method: string, parts: SchemaParts): object {
  const { random, id } = parts;
  const uri = random.pick([
    `kb://documents/${id()}`,
    `kb://documents/${id()}/chunks/${id()}`,
    'kb://index',
    'file:///etc/hosts',
    invalidString(random),
  ]);
  switch (method) {
    case 'resources/read':
    case 'resources/subscribe':
      return { uri };
    case 'prompts/get':
      return { name: invalidString(random), arguments: { query: invalidString(random) } };
    case 'completion/complete':
      return {
        ref: { type: 'ref/resource', uri },
        argument: { name: 'id', value: invalidString(random).slice(0, 20) },
      };
    case 'initialize':
      return {
        protocolVersion: random.pick(['2025-11-25', '2024-11-05', 'x']),
        capabilities: {},
        clientInfo: { name: 'fuzz', version: '1' },
      };
    default:
      return random.chance(0.5) ? {} : { cursor: invalidString(random).slice(0, 100), level: 'debug', requestId: 1 };
  }
}
