import type { SessionPhase } from '@concordat/core';
import { describe, expect, it } from 'vitest';
import { Executions } from '../checks/executions.js';
import { illegalMove } from '../checks/session-states.js';
import { Findings } from '../world/findings.js';

const state = (phase: SessionPhase, epoch: number) => ({ state: phase, epoch, id: null, timeoutMs: 0, reason: null });

describe('the moves of a session', () => {
  it('are those of the contract, and no others', () => {
    expect(illegalMove(state('connecting', 1), state('connected', 1))).toBeNull();
    expect(illegalMove(state('lost', 1), state('connecting', 2))).toBeNull();
    expect(illegalMove(state('suspended', 2), state('closed', 2))).toBeNull();
    expect(illegalMove(state('lost', 1), state('connecting', 1))).toBe('lost 1 → connecting 1');
    expect(illegalMove(state('connected', 1), state('suspended', 2))).toBe('connected 1 → suspended 2');
    expect(illegalMove(state('suspended', 1), state('connecting', 2))).toBe('suspended 1 → connecting 2');
    expect(illegalMove(state('closed', 1), state('connecting', 2))).toBe('closed 1 → connecting 2');
  });
});

describe('the executions of a key', () => {
  const rulesOf = (work: (executions: Executions) => void): readonly string[] => {
    const findings = new Findings(
      () => 0,
      () => undefined,
    );
    work(new Executions(findings));
    return findings.violations.map(({ rule }) => rule);
  };

  it('are as many as there were failures, and one', () => {
    const rules = rulesOf((executions) => {
      executions.ends(executions.begins('k', 'a', false), 'threw');
      const second = executions.begins('k', 'b', false);
      executions.ends(second, 'answered');
      executions.answered('k', 'b', second.answer);
      executions.answered('k', 'c', second.answer);
    });
    expect(rules).toEqual([]);
  });

  it('are none after an interruption, unless somebody consents', () => {
    expect(
      rulesOf((executions) => {
        executions.begins('k', 'a', false);
        executions.begins('k', 'b', true);
        executions.begins('other', 'c', false);
      }),
    ).toEqual([]);
    expect(
      rulesOf((executions) => {
        executions.begins('k', 'a', false);
        executions.ends(executions.begins('k', 'b', true), 'threw');
        executions.begins('k', 'c', false);
      }),
    ).toEqual(['ran-twice']);
  });

  it('have one answer, which one of them gave', () => {
    const rules = rulesOf((executions) => {
      const first = executions.begins('k', 'a', true);
      executions.ends(first, 'answered');
      executions.answered('k', 'a', first.answer);
      executions.answered('k', 'b', 'something else');
      executions.failed('k', [first]);
    });
    expect(rules).toEqual(['wrong-answer', 'wrong-answer', 'wrong-answer']);
  });
});
