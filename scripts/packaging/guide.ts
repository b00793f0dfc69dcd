import { command, firstSentence, jsonText, packageFile } from './manifests.ts';
import { everyTool, isDefault, mcpFlags } from './offers.ts';

// Generated sections of docs/mcp.md.

const KEY = 'CITEWELL_DATA_DIR';
const FOLDER = '/absolute/path/to/data';
const HTTP = 'http://127.0.0.1:7272/mcp';
const { name } = packageFile;
/** Folder of documents in every snippet. */
const DOCUMENTS = '/absolute/path/to/documents';
const args = [...command.args, '--folder', DOCUMENTS];
const CHECKOUT = '/absolute/path/to/citewell/dist/src/cli/citewell.js';
const checkoutArgs = [CHECKOUT, 'mcp', '--folder', DOCUMENTS];
const line = [command.command, ...args].join(' ');
const checkoutLine = ['node', ...checkoutArgs].join(' ');

const json = (value: unknown): string => `\`\`\`json\n${jsonText(value)}\`\`\``;
const shell = (...lines: readonly string[]): string => `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;
const stdio = { command: command.command, args, env: { [KEY]: FOLDER } };

/** A note with the lines of a snippet that differ in a checkout. */
const fromCheckout = (lines: string): string =>
  `From a checkout (after \`npm ci\`), until the package is published: \`${lines}\``;
const checkoutJson = fromCheckout(`"command": "node", "args": ${JSON.stringify(checkoutArgs).replaceAll(',', ', ')}`);

interface Host {
  readonly name: string;
  readonly where: string;
  readonly snippets: readonly string[];
}

const hosts: readonly Host[] = [
  {
    name: 'Claude Desktop',
    where:
      '`claude_desktop_config.json`, in `~/Library/Application Support/Claude/` (macOS) or `%APPDATA%\\Claude\\` (Windows); quit it completely and start it again. Or double-click the bundle made by `npm run build:mcpb`.',
    snippets: [json({ mcpServers: { [name]: stdio } })],
  },
  {
    name: 'Claude Code',
    where: 'On the command line; a project can have the same configuration in `.mcp.json`.',
    snippets: [
      shell(
        `claude mcp add ${name} --env ${KEY}=${FOLDER} -- ${line}`,
        `claude mcp add ${name} --env ${KEY}=${FOLDER} -- ${checkoutLine}        # a checkout`,
        `claude mcp add --transport http ${name} ${HTTP}        # a running "citewell serve"`,
      ),
    ],
  },
  {
    name: 'Cursor',
    where: '`.cursor/mcp.json` of a project, or `~/.cursor/mcp.json`.',
    snippets: [json({ mcpServers: { [name]: stdio } })],
  },
  {
    name: 'VS Code',
    where: '`.vscode/mcp.json`, or the MCP settings of the user.',
    snippets: [
      json({
        inputs: [{ type: 'promptString', id: 'openai-key', description: 'OpenAI key', password: true }],
        servers: {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in.
          [name]: { type: 'stdio', ...stdio, env: { ...stdio.env, OPENAI_API_KEY: '${input:openai-key}' } },
        },
      }),
    ],
  },
  {
    name: 'Windsurf',
    where: '`~/.codeium/windsurf/mcp_config.json`. A server over HTTP is named by `serverUrl` there, not `url`.',
    snippets: [json({ mcpServers: { [name]: stdio } }), json({ mcpServers: { [name]: { serverUrl: HTTP } } })],
  },
  { name: 'Zed', where: '`settings.json`.', snippets: [json({ context_servers: { [name]: stdio } })] },
  {
    name: 'Gemini CLI',
    where: '`~/.gemini/settings.json`. A server over HTTP is named by `httpUrl` there.',
    snippets: [json({ mcpServers: { [name]: stdio } }), json({ mcpServers: { [name]: { httpUrl: HTTP } } })],
  },
  {
    name: 'Codex',
    where: 'On the command line, or in `~/.codex/config.toml`.',
    snippets: [
      shell(
        `codex mcp add ${name} --env ${KEY}=${FOLDER} -- ${line}`,
        `codex mcp add ${name} --env ${KEY}=${FOLDER} -- ${checkoutLine}        # a checkout`,
        `codex mcp add ${name} --url ${HTTP}`,
      ),
      [
        '```toml',
        `[mcp_servers.${name}]`,
        `command = ${JSON.stringify(command.command)}`,
        `args = ${JSON.stringify(args)}`,
        `env = { ${KEY} = ${JSON.stringify(FOLDER)} }`,
        '```',
      ].join('\n'),
    ],
  },
];

const hostSection = hosts
  .map(({ name: host, where, snippets }) => {
    const isJson = snippets.some((snippet) => snippet.includes('"command"'));
    return [`### ${host}`, where, ...snippets, ...(isJson ? [checkoutJson] : [])].join('\n\n');
  })
  .join('\n\n');

function kindOf(tool: ReturnType<typeof everyTool>[number]['tool']): string {
  const { readOnly, destructive, openWorld } = tool.annotations;
  const kind = readOnly ? 'reads' : destructive ? 'removes' : 'acts';
  return openWorld ? `${kind}, reaches outside` : kind;
}

const toolTable = [
  '| tool | toolset | what it does | kind |',
  '|---|---|---|---|',
  ...everyTool().map(({ tool, toolsets }) => {
    const sets = toolsets.map((set) => (isDefault(set) ? `**${set}**` : set)).join(', ');
    return `| \`${tool.name}\` | ${sets} | ${firstSentence(tool).replaceAll('|', '\\|')} | ${kindOf(tool)} |`;
  }),
].join('\n');

const flagTable = [
  '| flag | meaning |',
  '|---|---|',
  ...mcpFlags().map(({ flags, description }) => `| \`${flags}\` | ${description} |`),
].join('\n');

/** Section name → content. */
export const guideSections: Readonly<Record<string, string>> = {
  hosts: hostSection,
  tools: toolTable,
  flags: flagTable,
};
