// Every public name has a docstring, and every example in one, and in the pages, compiles.
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = [
  'core/src/index.ts',
  'core/src/spi/index.ts',
  'core/src/di/index.ts',
  'concordat/src/index.ts',
  'telemetry/src/index.ts',
  'conformance/src/index.ts',
  'driver-memory/src/index.ts',
  'driver-zk/src/index.ts',
  'driver-etcd/src/index.ts',
].map((path) => join(root, 'packages', path));

const base = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile).config.compilerOptions;
const { options } = ts.convertCompilerOptionsFromJson(
  {
    ...base,
    composite: false,
    noEmit: true,
    declaration: false,
    declarationMap: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  },
  root,
);

const problems = [...undocumented(), ...(await brokenExamples())];
if (problems.length > 0) {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

function undocumented() {
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const names = entries.flatMap((entry) => namesIn(program.getSourceFile(entry), checker));
  const missing = new Set(names.filter(({ symbol }) => !isDocumented(symbol, checker)).map(({ place }) => place));
  if (missing.size === 0) process.stdout.write(`${names.length} public names, each with a docstring\n`);
  return [...missing].map((place) => `${place} has no docstring`);
}

/** Whatever an entry exports of ours, and the members of that. */
function namesIn(entry, checker) {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(entry)).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const declaration = symbol.declarations?.[0];
    if (declaration === undefined || ts.isSourceFile(declaration) || !isOurs(declaration)) return [];
    const members = membersOf(declaration).map((member) => ({
      symbol: checker.getSymbolAtLocation(member.name),
      place: where(member, `${exported.name}.${member.name.getText()}`),
    }));
    return [{ symbol, place: where(declaration, exported.name) }, ...members];
  });
}

function isOurs(declaration) {
  return /[\\/]packages[\\/][^\\/]+[\\/]src[\\/]/.test(declaration.getSourceFile().fileName);
}

function isDocumented(symbol, checker) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== '';
}

// What an object is disposed by says all by its name, and so does what the language or a base class prescribes.
function membersOf(declaration) {
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return [];
  return declaration.members.filter((member) => {
    if (member.name === undefined || ts.isComputedPropertyName(member.name) || ts.isPrivateIdentifier(member.name))
      return false;
    const flags = ts.getCombinedModifierFlags(member);
    return (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Override)) === 0;
  });
}

function where(node, name) {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  return `${relative(root, source.fileName)}:${line + 1}: ${name}`;
}

async function brokenExamples() {
  const examples = new Map();
  for (const file of await filesWith(['packages', 'docs'], /(?<!\.d)\.ts$|\.md$/)) {
    const text = await readFile(file, 'utf8');
    const blocks = file.endsWith('.md') ? pageExamples(text) : docExamples(text);
    for (const [index, code] of blocks.entries()) {
      // Where every package can be imported, as a user would.
      const path = join(root, 'examples', `${relative(root, file).replace(/\W/g, '-')}-${index}.ts`);
      examples.set(path, { code: `${code}\nexport {};\n`, file: relative(root, file) });
    }
  }
  const harness = "import type { Harness } from '@concordat/conformance';\nexport declare const harness: Harness;\n";
  examples.set(join(root, 'examples', 'harness.ts'), { code: harness, file: 'harness' });
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile: read, getSourceFile } = host;
  host.fileExists = (path) => examples.has(path) || fileExists(path);
  host.readFile = (path) => examples.get(path)?.code ?? read(path);
  host.getSourceFile = (path, ...rest) => {
    const example = examples.get(path);
    return example === undefined
      ? getSourceFile(path, ...rest)
      : ts.createSourceFile(path, example.code, rest[0], true);
  };
  const program = ts.createProgram([...examples.keys()], options, host);
  const found = ts.getPreEmitDiagnostics(program).map(({ file, messageText, start }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ');
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    return `${examples.get(file?.fileName)?.file ?? file?.fileName}: an example, line ${line}: ${text}`;
  });
  if (found.length === 0) process.stdout.write(`${examples.size - 1} examples compile\n`);
  return found;
}

function docExamples(text) {
  return [...text.matchAll(/@example[\s\S]*?```ts\n([\s\S]*?)```/g)].map(([, block]) => block.replace(/^ *\* ?/gm, ''));
}

function pageExamples(text) {
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block);
}

async function filesWith(directories, wanted) {
  const found = await Promise.all(
    directories.map((directory) => readdir(join(root, directory), { recursive: true, withFileTypes: true })),
  );
  const files = found
    .flat()
    .filter(
      (entry) => entry.isFile() && wanted.test(entry.name) && !/node_modules|[\\/](dist|test)\b/.test(entry.parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name));
  return [...files, join(root, 'README.md')];
}
