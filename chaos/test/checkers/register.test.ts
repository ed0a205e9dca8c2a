import { describe, expect, it } from 'vitest';
import { checkRegisters } from '../../checkers/register.js';
import { Story } from './story.js';

const rulesOf = (story: Story): readonly string[] => checkRegisters(story.lines, 6_000).map(({ rule }) => rule);
const stale = 'no read is stale, and no write goes back';
const written = 'a value was written once, by a write that was not refused';

describe('a register', () => {
  it('may answer either value to a read beside a write', () => {
    const story = new Story()
      .set('1', 0, 10, '5')
      .set('2', 20, 40, '6')
      .get('3', 25, 30, '5', '1')
      .get('4', 25, 35, '6', '2');
    expect(rulesOf(story)).toEqual([]);
  });

  it('does not answer an old value after a write ended', () => {
    const story = new Story().set('1', 0, 10, '5').set('2', 20, 30, '6').get('3', 31, 40, '5', '1');
    expect(rulesOf(story)).toEqual([stale]);
  });

  it('does not answer an old value after a read ended that answered the new one', () => {
    const story = new Story()
      .set('1', 0, 10, '5')
      .set('2', 20, 90, '6')
      .get('3', 25, 30, '6', '2')
      .get('4', 31, 40, '5', '1');
    expect(rulesOf(story)).toEqual([stale]);
  });

  it('gives a write a version above those of all that ended before it', () => {
    expect(rulesOf(new Story().set('1', 0, 10, '5').set('2', 20, 30, '4'))).toEqual([stale]);
  });

  it('shows what a write did whose reply was lost, and never what was refused or nobody wrote', () => {
    const lost = new Story()
      .call('1', 0, { action: 'set', value: '1' })
      .end('1', 10, { outcome: 'unknown' })
      .get('2', 20, 30, '5', '1');
    expect(rulesOf(lost)).toEqual([]);
    const refused = new Story()
      .call('1', 0, { action: 'set', value: '1' })
      .end('1', 10, { outcome: 'refused' })
      .get('2', 20, 30, '5', '1');
    expect(rulesOf(refused)).toEqual([written]);
    expect(rulesOf(new Story().get('2', 20, 30, '5', 'ghost'))).toEqual([written]);
  });

  it('shows a write once, and no other value with its version', () => {
    expect(rulesOf(new Story().set('1', 0, 10, '5').get('2', 20, 30, '6', '1'))).toContain(written);
    expect(rulesOf(new Story().set('1', 0, 10, '5').set('2', 0, 10, '5'))).toContain(written);
    expect(rulesOf(new Story().set('1', 0, 10, '5').saw('a', '5', 20, 'other'))).toContain(written);
  });

  it('loses no update between what a write expected and its own', () => {
    const story = new Story().set('1', 0, 10, '5').set('2', 20, 30, '6').set('3', 15, 40, '7', '5');
    expect(rulesOf(story)).toEqual(['no update is lost']);
    expect(rulesOf(new Story().set('1', 0, 10, '5').set('2', 20, 30, '6', '5'))).toEqual([]);
    const unheard = (version: string): Story =>
      new Story()
        .set('1', 0, 10, '5')
        .call('3', 15, { action: 'set', value: '3', expect: '5' })
        .end('3', 50, { outcome: 'unknown' })
        .set('2', 20, 30, version === '6' ? '7' : '6')
        .saw('a', version, 60, '3');
    expect(rulesOf(unheard('7'))).toEqual(['no update is lost']);
    expect(rulesOf(unheard('6'))).toEqual([]);
  });

  it('refuses a write for its version only where another may have come after that one', () => {
    const conflict = (story: Story, expect: string): Story =>
      story.call('9', 40, { action: 'set', value: '9', expect }).end('9', 50, { outcome: 'refused', code: 'CONFLICT' });
    expect(rulesOf(conflict(new Story().set('1', 0, 10, '5'), '5'))).toEqual(['a conflict has a cause']);
    expect(rulesOf(conflict(new Story().set('1', 0, 10, '5').set('2', 20, 30, '6'), '5'))).toEqual([]);
    expect(rulesOf(conflict(new Story().set('1', 0, 10, '5').set('2', 20, 30, '6'), '6'))).toEqual([
      'a conflict has a cause',
    ]);
    // It began after the refusal.
    expect(rulesOf(conflict(new Story().set('1', 0, 10, '5').set('2', 51, 60, '7'), '5'))).toEqual([
      'a conflict has a cause',
    ]);
    // Nobody knows what became of it.
    const lost = new Story().set('1', 0, 10, '5').call('2', 20, { action: 'set', value: '2' });
    expect(rulesOf(conflict(lost, '5'))).toEqual([]);
    // It was given up long before.
    const early = new Story()
      .call('2', -90_000, { action: 'set', value: '2' })
      .end('2', -89_000, { outcome: 'unknown' })
      .set('1', 0, 10, '5');
    expect(rulesOf(conflict(early, '5'))).toEqual(['a conflict has a cause']);
  });

  it('is checked for thousands of operations at once', () => {
    const story = new Story();
    for (let step = 0; step < 500; step += 1)
      story.set(`w${String(step)}`, step * 10, step * 10 + 15, String(step + 1));
    expect(rulesOf(story)).toEqual([]);
  });
});
