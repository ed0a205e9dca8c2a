import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Mutant } from './mutant.js';

const packages = new URL('../../../packages/', import.meta.url);

/** What a mutant makes of the compiled modules: source by address. The sources are patched, and compiled as the packages are. */
export function mutatedSources({ name, patches }: Mutant): Readonly<Record<string, string>> {
  const sources = new Map<string, string>();
  for (const { file, find, replace } of patches) {
    const source = sources.get(file) ?? readFileSync(fileURLToPath(new URL(file, packages)), 'utf8');
    if (source.split(find).length !== 2) throw new Error(`${name}: ${file} does not have this once: ${find}`);
    sources.set(
      file,
      source.replace(find, () => replace),
    );
  }
  return Object.fromEntries([...sources].map(([file, source]) => [compiledAddress(file), compiled(source)]));
}

function compiledAddress(file: string): string {
  return new URL(file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'), packages).href;
}

function compiled(source: string): string {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    experimentalDecorators: true,
  };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}
