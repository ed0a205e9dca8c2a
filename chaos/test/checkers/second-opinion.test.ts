import { describe, expect, it } from 'vitest';
import { checkRegisters } from '../../checkers/register.js';
import { Random } from '../../random.js';
import { linesOf, type ReturnLine } from '../../records.js';
import { isLinearizable } from './search.js';
import { Story } from './story.js';

/** Reads and writes that overlap, as one register would have answered them. */
function history(random: Random): Story {
  const story = new Story();
  let [version, value, at] = [1, 'first', 0];
  // Nobody can expect a version that nobody was told of.
  const told = new Set([1]);
  story.set('first', -20, -10, '1');
  for (let step = 0; step < 9; step += 1) {
    const op = `o${String(step)}`;
    const [from, to] = [at - random.between(0, 40), at + random.between(0, 40)];
    at += random.between(1, 25);
    if (random.chance(0.5)) {
      told.add(version);
      story.get(op, from, to, String(version), value);
      continue;
    }
    const expect = random.chance(0.5) ? String(random.pick([...told].slice(-2))) : undefined;
    story.call(op, from, { action: 'set', value: op, ...(expect === undefined ? {} : { expect }) });
    if (expect !== undefined && expect !== String(version)) {
      story.end(op, to, { outcome: 'refused', code: 'CONFLICT' });
      continue;
    }
    [version, value] = [version + 1, op];
    if (random.chance(0.8)) {
      told.add(version);
      story.end(op, to, { version: String(version) });
    } else story.end(op, to, { outcome: 'unknown' });
  }
  return story;
}

/** The same with one answer changed for what a broken store could have given. */
function broken(random: Random, { lines }: Story): Story {
  const answers = linesOf(lines, 'return');
  const [changed, other] = [random.pick(answers), random.pick(answers)];
  const story = new Story();
  story.lines.push(...lines.map((line) => (line === changed ? insteadOf(changed, other) : line)));
  return story;
}

function insteadOf(answer: ReturnLine, other: ReturnLine): ReturnLine {
  if (answer.value == null && answer.outcome === 'ok') return { ...answer, outcome: 'refused', code: 'CONFLICT' };
  if (other.value == null) return { ...answer, at: answer.at + 100 };
  return { ...answer, value: other.value, version: other.version ?? null };
}

describe('a search through every order', () => {
  it('explains what the checker accepts of one register, for which there is always an order', () => {
    for (let seed = 1; seed <= 1_000; seed += 1) {
      const story = history(new Random(seed, 'history'));
      expect([seed, checkRegisters(story.lines, 6_000), isLinearizable(story.lines)]).toEqual([seed, [], true]);
    }
  });

  it('finds no order only where the checker finds a violation', () => {
    let found = 0;
    for (let seed = 1; seed <= 5_000; seed += 1) {
      const story = broken(new Random(seed, 'broken'), history(new Random(seed, 'history')));
      if (isLinearizable(story.lines)) continue;
      found += 1;
      expect([seed, checkRegisters(story.lines, 6_000)]).not.toEqual([seed, []]);
    }
    expect(found).toBeGreaterThan(300);
  });
});
