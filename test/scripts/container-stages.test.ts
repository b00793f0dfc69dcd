import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { digestOf } from '../../scripts/container-test/build-image.ts';
import { readDockerfile } from '../../scripts/container-test/read-dockerfile.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DOCKERFILE = `FROM node AS build
COPY package.json ./
COPY src ./src
RUN node build.js

FROM node
COPY --from=build /dist ./dist
CMD ["node", "dist/main.js"]`;

/** Digests of both stages of a Dockerfile. */
function digests(text: string, context: string): readonly string[] {
  const [build, image] = readDockerfile(text);
  if (build === undefined || image === undefined) throw new Error('The Dockerfile has fewer than two stages.');
  const first = digestOf(build, context, new Map());
  return [first, digestOf(image, context, new Map([['build', first]]))];
}

it('builds a stage again when its lines, the files it copies or the stages it copies from have changed', async () => {
  const context = await temporaryFolder();
  mkdirSync(join(context, 'src/deep'), { recursive: true });
  writeFileSync(join(context, 'package.json'), '{}');
  writeFileSync(join(context, 'src/deep/main.ts'), 'start();');
  writeFileSync(join(context, 'README.md'), 'not copied');
  const [build, image] = digests(DOCKERFILE, context);

  writeFileSync(join(context, 'README.md'), 'not copied either');
  expect(digests(DOCKERFILE, context)).toEqual([build, image]);

  const [sameBuild, otherImage] = digests(DOCKERFILE.replace('dist/main.js', 'dist/other.js'), context);
  expect(sameBuild).toBe(build);
  expect(otherImage).not.toBe(image);

  writeFileSync(join(context, 'src/deep/main.ts'), 'stop();');
  const changed = digests(DOCKERFILE, context);
  expect(changed[0]).not.toBe(build);
  expect(changed[1]).not.toBe(image);
});
