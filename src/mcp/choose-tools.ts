import { ServiceError } from '../errors.ts';
import { SUGGESTED_SETTINGS } from '../models/suggested-settings.ts';
import type { Tool, ToolNeed } from '../toolbox/tool.ts';
import type { AbsentTool } from '../toolbox/tool-ports.ts';

/** Options that select tools. */
export interface ToolSelectionOptions {
  /** Exactly these tools; overrides all other options except `readOnly`. */
  readonly tools?: readonly string[] | undefined;
  /** Replaces the default toolsets. */
  readonly toolsets?: readonly string[] | undefined;
  /** Adds the tools for synchronized folders. */
  readonly folders?: boolean | undefined;
  /** Adds the tools that change the corpus. */
  readonly write?: boolean | undefined;
  /** Removes these tools. */
  readonly excludeTools?: readonly string[] | undefined;
  /** Removes all tools that change anything. */
  readonly readOnly?: boolean | undefined;
}

export interface ToolOffer {
  readonly tools: readonly Tool[];
  readonly absent: readonly AbsentTool[];
}

/** A small set, since too many tools confuse models; read-only. */
export const defaultToolsets: readonly string[] = ['retrieval', 'web', 'answers', 'proof', 'corpus'];
const WRITE_TOOLSET = 'ingest';
const FOLDER_TOOLSET = 'folders';

/** Resolves options to tools; `toolsets` has all tools by toolset. Throws `invalid_field` for unknown names, listing the known ones. */
export function chooseTools(
  toolsets: Readonly<Record<string, readonly Tool[]>>,
  options: ToolSelectionOptions,
  metNeeds: ReadonlySet<ToolNeed>,
): ToolOffer {
  const all = [...new Set(Object.values(toolsets).flat())];
  const names = all.map(({ name }) => name);
  refuseUnknown('tool', options.tools ?? [], names);
  refuseUnknown('tool', options.excludeTools ?? [], names);
  refuseUnknown('toolset', options.toolsets ?? [], Object.keys(toolsets));

  const more = [
    ...(options.folders === true || options.write === true ? [FOLDER_TOOLSET] : []),
    ...(options.write === true ? [WRITE_TOOLSET] : []),
  ];
  const sets = [...(options.toolsets ?? defaultToolsets), ...more];
  const ofSets = new Set(sets.flatMap((set) => toolsets[set] ?? []));
  const wanted = all.filter((tool) =>
    options.tools === undefined ? ofSets.has(tool) : options.tools.includes(tool.name),
  );
  const isExcluded = (tool: Tool) => options.excludeTools?.includes(tool.name) === true;
  const isKept = (tool: Tool) => options.readOnly !== true || tool.annotations.readOnly;
  const isMet = (tool: Tool) => tool.needs.every((need) => metNeeds.has(need));
  const tools = wanted.filter((tool) => isKept(tool) && isMet(tool) && !isExcluded(tool));

  const reasonOf = (tool: Tool): string => {
    const [missing] = tool.needs.filter((need) => !metNeeds.has(need));
    if (missing !== undefined) return HOW_TO_ENABLE[missing];
    if (isExcluded(tool)) return 'It was left out by --exclude-tools.';
    if (!isKept(tool)) return 'It changes things, and this server was started with --read-only.';
    const [set] = Object.keys(toolsets).filter((each) => toolsets[each]?.includes(tool));
    return set === WRITE_TOOLSET
      ? 'It changes the corpus; start the server with --write to have it.'
      : `Not asked for; start the server with --toolsets …,${set} to have it.`;
  };
  return {
    tools,
    absent: all.filter((tool) => !tools.includes(tool)).map((tool) => ({ name: tool.name, reason: reasonOf(tool) })),
  };
}

const NO_MODEL = `No language model is configured: set ${SUGGESTED_SETTINGS}.`;

const HOW_TO_ENABLE: Readonly<Record<ToolNeed, string>> = {
  web_search:
    'No web search is configured: set SEARXNG_URL, BRAVE_API_KEY, SERPER_API_KEY, TAVILY_API_KEY or EXA_API_KEY.',
  web_pages: 'Reading web pages is not configured.',
  sandbox: 'Python cannot be run here; `citewell doctor` says why.',
  reasoner: NO_MODEL,
  research: NO_MODEL,
  answerer: 'Questions cannot be answered here.',
  checker: 'Answers cannot be checked here.',
  ingestion: 'Documents cannot be changed from here.',
  folders:
    'No folder may be read: start the server with --folder <folder>, which is kept in step, or --allow-dir <folder>.',
  facts: 'Corpus statistics are not available.',
};

function refuseUnknown(kind: string, given: readonly string[], known: readonly string[]): void {
  const unknownNames = given.filter((name) => !known.includes(name));
  if (unknownNames.length === 0) return;
  throw new ServiceError(
    'invalid_field',
    `Unknown ${kind} ${unknownNames.map((name) => `"${name}"`).join(', ')}. Known: ${known.join(', ')}.`,
  );
}
