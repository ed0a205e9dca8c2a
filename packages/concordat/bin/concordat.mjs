#!/usr/bin/env node
import { existsSync } from 'node:fs';

const entry = new URL('../dist/cli/main.js', import.meta.url);
if (!existsSync(entry)) {
  console.error('concordat: not built yet; run `npm run bootstrap && npm run build` in the workspace');
  process.exit(69);
}
const { main } = await import(entry.href);
process.exit(await main(process.argv.slice(2), process.env));
