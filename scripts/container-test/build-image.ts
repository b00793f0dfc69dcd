import { execFileSync } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './read-dockerfile.ts';
import { buildStage, type ImageStart, makeBaseRoot } from './root-folder.ts';

export interface BuiltImage {
  readonly root: string;
  readonly start: ImageStart;
  /** Root folder of the base image. */
  readonly base: string;
}

interface FinishedStage {
  readonly digest: string;
  readonly start: ImageStart;
}

/**
 * Builds the stages of a Dockerfile in `folder` and returns the last one. What an earlier run finished there is used
 * again, unless its lines or the files that it copies have changed since.
 */
export function buildImage(stages: readonly Stage[], context: string, folder: string): BuiltImage {
  const base = join(folder, 'base');
  if (!existsSync(base)) {
    const unfinished = join(folder, 'base.unfinished');
    for (const path of [unfinished, join(folder, 'npm')]) rmSync(path, { recursive: true, force: true });
    makeBaseRoot(unfinished, join(folder, 'npm'));
    renameSync(unfinished, base);
  }
  const roots = new Map<string, string>();
  const digests = new Map<string, string>();
  let built: BuiltImage | undefined;
  for (const [index, stage] of stages.entries()) {
    const name = stage.name ?? String(index);
    const root = join(folder, `stage-${name}`);
    const digest = digestOf(stage, context, digests);
    const record = `${root}.json`;
    let finished = readFinished(record);
    const isKept = finished?.digest === digest;
    console.log(`FROM ${stage.image}${stage.name === null ? '' : ` AS ${stage.name}`}${isKept ? ' (kept)' : ''}`);
    if (finished === undefined || !isKept) {
      for (const path of [record, root]) rmSync(path, { recursive: true, force: true });
      execFileSync('cp', ['-a', '--reflink=auto', base, root]);
      finished = { digest, start: buildStage(stage, root, context, roots) };
      writeFileSync(`${record}.unfinished`, JSON.stringify(finished));
      renameSync(`${record}.unfinished`, record);
    }
    roots.set(name, root);
    digests.set(name, digest);
    built = { root, start: finished.start, base };
  }
  if (built === undefined) throw new Error('The Dockerfile has no stage.');
  return built;
}

/** Hash of what a stage is made of: its lines, the files it copies, and the stages that it copies from, by `digests`. */
export function digestOf(stage: Stage, context: string, digests: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256').update(JSON.stringify(stage));
  for (const step of stage.steps) {
    if (step.kind !== 'copy') continue;
    if (step.from !== undefined) hash.update(digests.get(step.from) ?? '');
    else for (const source of step.sources) addFiles(hash, join(context, source));
  }
  return hash.digest('hex');
}

function addFiles(hash: Hash, path: string): void {
  const names = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }).sort() : [''];
  for (const name of names) {
    const file = join(path, name);
    if (statSync(file).isFile()) hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
  }
}

function readFinished(record: string): FinishedStage | undefined {
  return existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as FinishedStage) : undefined;
}
