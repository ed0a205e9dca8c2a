import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Stage } from './stage.js';

const milliseconds = ([seconds, nanoseconds]: readonly [number, number]): number => seconds * 1_000 + nanoseconds / 1e6;

const anyString: unknown = expect.any(String);

it('TEL-08 draws a wait and a hold below the span that asked', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open({ attributes: { 'coordination.backend': 'memory' } });
  const blocking = await coordinator.lock('a').acquire();
  const asking = stage.tracerProvider.getTracer('test').startSpan('asking');
  const [from, asked] = [Date.now(), performance.now()];
  const grant = context.with(trace.setSpan(context.active(), asking), () => coordinator.lock('a').acquire());
  await expect.poll(() => stage.store.entries('concordat/lock/a').length).toBe(2);
  const queued = performance.now();
  await blocking.release();
  const { token, release } = await grant.then((held) => ({ token: held.token, release: () => held.release() }));
  const granted = performance.now();
  await expect.poll(() => stage.store.entries('concordat/lock/a').length).toBe(1);
  const givingBack = performance.now();
  await release();
  const givenBack = performance.now();
  const mine = stage.spans.getFinishedSpans().filter(({ parentSpanContext }) => parentSpanContext !== undefined);
  expect(mine.map(({ name }) => name)).toEqual(['acquire lock', 'hold lock']);
  for (const span of mine) {
    expect(span.parentSpanContext?.spanId).toBe(asking.spanContext().spanId);
    expect(span.attributes).toMatchObject({
      'coordination.primitive': 'lock',
      'coordination.name': 'a',
      'coordination.token': String(token),
      'coordination.entry': anyString,
      'coordination.session.id': stage.store.sessions[0],
      'coordination.backend': 'memory',
    });
  }
  const [wait, hold] = mine;
  const between = (duration: readonly [number, number] | undefined, least: number, most: number): void => {
    // Spans are cut to whole nanoseconds.
    expect(milliseconds(duration ?? [0, 0])).toBeGreaterThan(least - 0.01);
    expect(milliseconds(duration ?? [0, 0])).toBeLessThan(most + 0.01);
  };
  between(wait?.duration, queued - asked, granted - asked);
  between(hold?.duration, givingBack - granted, givenBack - queued);
  expect(Math.abs(milliseconds(wait?.startTime ?? [0, 0]) - from)).toBeLessThan(40);
});

it('TEL-08 draws a hold as long as it was, though the wall clock is set meanwhile', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  const asked = performance.now();
  const grant = await coordinator.lock('a').acquire();
  const wallClock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  onTestFinished(() => wallClock.mockRestore());
  await grant.release();
  const [, hold] = stage.spans.getFinishedSpans();
  expect(hold?.name).toBe('hold lock');
  expect(milliseconds(hold?.duration ?? [0, 0])).toBeLessThan(performance.now() - asked + 0.01);
});

it('TEL-08 marks a wait that failed and a hold that was lost', async () => {
  const stage = new Stage();
  const { coordinator } = stage.open();
  await coordinator.lock('a').acquire();
  await expect(coordinator.lock('a').acquire({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  for (const session of stage.store.sessions) stage.store.expireSession(session);
  await expect.poll(() => stage.spans.getFinishedSpans().length).toBe(3);
  const failed = stage.spans.getFinishedSpans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
  expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['acquire lock', 'TIMEOUT'],
    ['hold lock', 'SESSION_LOST'],
  ]);
});

it('TEL-08 ends what is open when it is stopped, and draws nothing when told not to', async () => {
  const stage = new Stage();
  const { coordinator, instrumentation } = stage.open();
  await coordinator.lock('a').acquire();
  expect(stage.spans.getFinishedSpans()).toHaveLength(1);
  instrumentation.stop();
  expect(stage.spans.getFinishedSpans()).toHaveLength(2);
  stage.instrument(coordinator, { spans: false });
  await coordinator.lock('b').with(() => undefined);
  expect(stage.spans.getFinishedSpans()).toHaveLength(2);
});
