import { readFileSync } from 'node:fs';
import { variableNames } from '../../src/config/variables.ts';
import { SKILL, SKILL_PATH } from '../../src/mcp/skill.ts';
import type { Tool } from '../../src/toolbox/tool.ts';
import { offerOf } from './offers.ts';

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly mcpName: string;
  readonly keywords: readonly string[];
  readonly engines: { readonly node: string };
}

export const packageFile: PackageFile = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

const { name, version, description, license, keywords, mcpName, engines } = packageFile;

/** Short description for registries. */
const SHORT = 'Answers over your own documents, with citations checked against the source.';

/** Command that starts the package from the npm registry. */
export const command = { command: 'npx', args: ['-y', `${name}@${version}`, 'mcp'] } as const;

interface Variable {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isSecret?: boolean;
}

/** Settings that hosts ask for; all are optional. */
const variables: readonly Variable[] = [
  { name: 'CITEWELL_DATA_DIR', title: 'Data folder', description: 'Folder for the documents and the index' },
  {
    name: 'OPENAI_API_KEY',
    title: 'OpenAI key',
    description: 'Lets a model of OpenAI write the answers; without any key they are quotations',
    isSecret: true,
  },
  {
    name: 'ANTHROPIC_API_KEY',
    title: 'Anthropic key',
    description: 'Lets a model of Anthropic write the answers; without any key they are quotations',
    isSecret: true,
  },
];

const strange = variables.filter((variable) => !variableNames.includes(variable.name));
if (strange.length > 0) throw new Error(`No variables of Citewell: ${strange.map((each) => each.name).join(', ')}.`);

/** Formats JSON as Biome does, with short lists on one line. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, null, 2)}\n`.replaceAll(
    /\[\s+((?:"[^"]*",?\s+)+)\]/g,
    (_, words: string) => `[${words.trim().replaceAll(/,\s+/g, ', ')}]`,
  );

/** A placeholder that the host fills in. */
const slot = (inner: string): string => `\${${inner}}`;

/** First sentence of a tool's description. */
export const firstSentence = ({ description: words }: Tool): string => words.split(/(?<=\.)\s/)[0] ?? words;

/** Path → content of every file that describes how to start and use the server. */
export const manifests: Readonly<Record<string, string>> = {
  'mcp.json': jsonText({
    $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json',
    mcpServers: { [name]: { type: 'stdio', ...command, env: { CITEWELL_DATA_DIR: slot('PLUGIN_DATA') } } },
  }),

  '.mcp.json': jsonText({
    mcpServers: {
      [name]: { type: 'stdio', ...command, env: { CITEWELL_DATA_DIR: slot('CITEWELL_DATA_DIR:-.citewell') } },
    },
  }),

  'plugin.json': jsonText({
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name,
    version,
    description,
    license,
    keywords,
  }),

  // Hosts that install plugins look for skills at this path.
  [`skills/${SKILL_PATH}/SKILL.md`]: SKILL,

  'server.json': jsonText({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Citewell',
    description: SHORT,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: variables.map((variable) => ({
          name: variable.name,
          description: variable.description,
          isRequired: false,
          ...(variable.isSecret === true ? { isSecret: true } : { format: 'filepath' }),
        })),
      },
    ],
  }),
};

/** The manifest of the MCPB bundle for one platform. */
export function bundleManifest(platform: NodeJS.Platform): object {
  const setting = (variable: string) => variable.toLowerCase();
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Citewell',
    version,
    description: SHORT,
    author: { name: 'The Citewell authors' },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'dist/src/cli/citewell.js',
      mcp_config: {
        command: 'node',
        // Users of a bundle have no other way to ingest documents.
        args: [
          `${slot('__dirname')}/dist/src/cli/citewell.js`,
          'mcp',
          '--write',
          '--allow-dir',
          slot('user_config.documents_folder'),
        ],
        env: Object.fromEntries(
          variables.map((variable) => [variable.name, slot(`user_config.${setting(variable.name)}`)]),
        ),
      },
    },
    // The tools depend on the settings, and hosts ask the running server anyway.
    tools: offerOf({ write: true }).map((tool) => ({ name: tool.name, description: firstSentence(tool) })),
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: [platform], runtimes: { node: engines.node } },
    user_config: {
      documents_folder: {
        type: 'directory',
        title: 'Documents',
        description: 'Folder below which files may be ingested',
        required: true,
      },
      ...Object.fromEntries(
        variables.map(({ name: variable, title, description: words, isSecret = false }) => [
          setting(variable),
          isSecret
            ? { type: 'string', title, description: words, sensitive: true, required: false, default: '' }
            : { type: 'directory', title, description: words, required: false, default: `${slot('HOME')}/.citewell` },
        ]),
      ),
    },
  };
}
