// Counts what vitest's JSON report says.
import { relative, sep } from 'node:path';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @returns {Counts}
 */
function nothing() {
  return { passed: 0, failed: 0, skipped: 0 };
}

/** @returns {{ total: Counts, conformance: Map<string, Counts> }} conformance: by the package that ran the suite. */
export function countTests(report, root) {
  const total = nothing();
  const conformance = new Map();
  for (const file of report.testResults) {
    const counts = countFile(file);
    add(total, counts);
    const path = relative(root, file.name).split(sep);
    if (path[0] !== 'packages' || !/conformance/.test(path.at(-1) ?? '')) continue;
    const backend = path[1];
    if (!conformance.has(backend)) conformance.set(backend, nothing());
    add(conformance.get(backend), counts);
  }
  return { total, conformance };
}

function countFile({ assertionResults, status }) {
  const counts = nothing();
  for (const test of assertionResults) {
    if (test.status === 'passed' || test.status === 'failed') counts[test.status] += 1;
    else counts.skipped += 1;
  }
  // A file that could not be loaded, or whose hooks failed, has no failed test to show for it.
  if (status === 'failed' && counts.failed === 0) counts.failed = 1;
  return counts;
}

function add(sum, counts) {
  for (const name of Object.keys(sum)) sum[name] += counts[name];
}
