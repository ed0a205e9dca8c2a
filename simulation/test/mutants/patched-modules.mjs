// Loaded before a program, with `?patches=FILE`: some of its modules are replaced by what that file says, as JSON of { address: source }.
import { readFileSync } from 'node:fs';
import { register } from 'node:module';

const patches = new URL(import.meta.url).searchParams.get('patches');
register('./patched-hooks.mjs', import.meta.url, { data: JSON.parse(readFileSync(patches, 'utf8')) });
