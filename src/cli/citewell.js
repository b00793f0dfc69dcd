#!/usr/bin/env node
// Plain JavaScript that an old Node can still read, so that it says what it needs instead of a syntax error.
import { existsSync } from 'node:fs';
import module from 'node:module';

const REQUIRED = 24;

if (Number(process.versions.node.split('.')[0]) < REQUIRED) {
  process.stderr.write(
    `citewell needs Node ${REQUIRED} or newer, and this is ${process.version} (${process.execPath}).\n` +
      'In a checkout, "npm start" and "npm run -s cli -- <command>" use the Node that npm installed beside it.\n' +
      'Otherwise install a newer one from https://nodejs.org.\n',
  );
  process.exitCode = 1;
} else {
  // Reading the program the second time takes a third of the time; hosts of MCP wait for its first answer.
  module.enableCompileCache?.();
  // In a checkout Node runs the TypeScript; in the package it was compiled.
  const source = new URL('./main.ts', import.meta.url);
  const { main } = await import(existsSync(source) ? source.href : new URL('./main.js', import.meta.url).href);
  await main(process);
}
