import { type Copy, DockerfileParser, type Env, type From, type Healthcheck } from 'dockerfile-ast';

/** The effect of an instruction on the root file system or on how the program is started. */
export type Step =
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'copy'; readonly from?: string; readonly sources: readonly string[]; readonly target: string }
  | { readonly kind: 'workdir'; readonly path: string }
  | { readonly kind: 'env'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'user'; readonly user: string }
  | { readonly kind: 'volume'; readonly paths: readonly string[] }
  | { readonly kind: 'healthcheck' | 'entrypoint' | 'cmd'; readonly words: readonly string[] }
  | { readonly kind: 'expose'; readonly port: string };

export interface Stage {
  readonly name: string | null;
  readonly image: string;
  readonly steps: readonly Step[];
}

/** Parses the stages of a Dockerfile. Throws on instructions and forms that the container test does not support. */
export function readDockerfile(text: string): Stage[] {
  const file = DockerfileParser.parse(text);
  const images = new Map(
    file.getInitialARGs().map((arg) => [arg.getProperty()?.getName(), arg.getProperty()?.getValue()]),
  );
  const stages: { name: string | null; image: string; steps: Step[] }[] = [];
  for (const instruction of file.getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'ARG' && stages.length === 0) continue;
    if (keyword === 'FROM') {
      const from = instruction as From;
      const image = (from.getImage() ?? '').replace(/^\$\{(\w+)\}$/, (_, name: string) => images.get(name) ?? '');
      stages.push({ name: from.getBuildStage(), image, steps: [] });
      continue;
    }
    stages.at(-1)?.steps.push(stepOf(keyword, instruction));
  }
  return stages;
}

type Instruction = ReturnType<ReturnType<typeof DockerfileParser.parse>['getInstructions']>[number];

function stepOf(keyword: string, instruction: Instruction): Step {
  const words = instruction.getArguments().map((argument) => argument.getValue());
  const [first = ''] = words;
  switch (keyword) {
    case 'RUN':
      if (first.startsWith('--') || first.startsWith('[')) throw unsupported(instruction);
      return { kind: 'run', command: instruction.getArgumentsContent() ?? '' };
    case 'COPY': {
      const flags = (instruction as Copy).getFlags();
      if (flags.some((flag) => flag.getName() !== 'from')) throw unsupported(instruction);
      const from = flags[0]?.getValue();
      return { kind: 'copy', ...(from && { from }), sources: words.slice(0, -1), target: words.at(-1) ?? '' };
    }
    case 'WORKDIR':
      return { kind: 'workdir', path: first };
    case 'ENV': {
      const entries = (instruction as Env).getProperties().map((each) => [each.getName(), each.getValue() ?? '']);
      return { kind: 'env', variables: Object.fromEntries(entries) };
    }
    case 'USER':
      return { kind: 'user', user: first };
    case 'EXPOSE':
      return { kind: 'expose', port: first };
    case 'VOLUME':
      return { kind: 'volume', paths: listOf(instruction) };
    case 'HEALTHCHECK':
      if ((instruction as Healthcheck).getSubcommand()?.getValue() !== 'CMD') throw unsupported(instruction);
      return { kind: 'healthcheck', words: listOf(instruction) };
    case 'ENTRYPOINT':
      return { kind: 'entrypoint', words: listOf(instruction) };
    case 'CMD':
      return { kind: 'cmd', words: listOf(instruction) };
    default:
      throw unsupported(instruction);
  }
}

/** Accepts only the exec form (a JSON list); the shell form runs a shell, which does not forward signals. */
function listOf(instruction: Instruction): string[] {
  const [list] = /\[.*\]$/s.exec(instruction.getArgumentsContent() ?? '') ?? [];
  if (list === undefined) throw unsupported(instruction);
  return JSON.parse(list) as string[];
}

const unsupported = (instruction: Instruction): Error =>
  new Error(
    `Line ${instruction.getRange().start.line + 1} of the Dockerfile: the container test does not carry out ${instruction.getKeyword()} in this form.`,
  );
