// Compares the ids that docs/spec states with those that tests carry: each needs the other.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const statedId = /^- \*\*([A-Z]+-\d+)\*\*/gm;
const testedId = /(?:scenario(?:\.alone)?|test|it)\(\s*['"`]([A-Z]+-\d+)\b/g;

async function filesBelow(directory, wanted) {
  const entries = await readdir(join(root, directory), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && wanted(entry.name) && !/node_modules|[\\/]dist\b/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function idsIn(files, pattern) {
  const found = new Map();
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    for (const [, id] of text.matchAll(pattern)) found.set(id, [...(found.get(id) ?? []), file.slice(root.length)]);
  }
  return found;
}

const stated = await idsIn(await filesBelow('docs/spec', (name) => name.endsWith('.md')), statedId);
const suite = await filesBelow('packages/conformance/src/areas', (name) => name.endsWith('.ts'));
const isTest = (name) => name.endsWith('.test.ts');
const tests = [...(await filesBelow('packages', isTest)), ...(await filesBelow('examples', isTest))];
const tested = await idsIn([...suite, ...tests], testedId);

const problems = [
  ...[...stated]
    .filter(([, files]) => files.length > 1)
    .map(([id, files]) => `${id} is stated twice: ${files.join(', ')}`),
  ...[...stated.keys()].filter((id) => !tested.has(id)).map((id) => `${id} is stated, and no test carries it`),
  ...[...tested]
    .filter(([id]) => !stated.has(id))
    .map(([id, files]) => `${id} is tested in ${files[0]}, and not stated`),
];
if (problems.length > 0 || stated.size === 0) {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else process.stdout.write(`${stated.size} ids stated, each with a test\n`);
