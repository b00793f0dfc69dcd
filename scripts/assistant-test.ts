import { assistantTest } from './assistant-test/run.ts';

// A scripted assistant answers 20 questions about 30 files of this repository, over both transports and both protocol
// eras.
const { files, formats, rounds } = await assistantTest();
console.log(`${files} files: ${formats.join(' ')}`);
for (const { transport, era, version, answered } of rounds) {
  const count = (is: (each: (typeof answered)[number]) => boolean) => answered.filter(is).length;
  const mean = Math.round(answered.reduce((sum, { tokens }) => sum + tokens, 0) / answered.length);
  console.log(
    `${transport.padEnd(5)} ${era} (${version}): ${count(({ place }) => place !== undefined)} of ${answered.length} right ` +
      `passages in the first result, ${count(({ place }) => place === 1)} as its first; ${count(({ isAnswered }) => isAnswered)} ` +
      `drafts right, ${count(({ isSupported }) => isSupported)} supported; ${mean} tokens and ` +
      `${(answered.reduce((sum, { calls }) => sum + calls, 0) / answered.length).toFixed(1)} calls per question`,
  );
}
console.log();
for (const { question, place, isAnswered, tokens } of rounds[0]?.answered ?? []) {
  console.log(
    `${String(place ?? '-').padStart(3)} ${isAnswered ? 'right' : 'wrong'} ${String(tokens).padStart(5)}  ${question}`,
  );
}
