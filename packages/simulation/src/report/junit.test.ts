import { describe, expect, it } from '@jest/globals';
import type { ScenarioResult } from '../run-scenario.ts';
import { junitReport } from './junit.ts';

const NONE = { record: null, recording: null };

describe('junitReport', () => {
  it('reports each scenario, with text that XML accepts', () => {
    const results: ScenarioResult[] = [
      { ...NONE, name: 'a & b', status: 'passed', findings: [] },
      {
        ...NONE,
        name: 'c',
        status: 'failed',
        findings: [{ path: 'expect.says.0', message: 'the agent never said "<\u0007>"' }],
      },
      {
        ...NONE,
        name: 'd',
        status: 'skipped',
        findings: [{ path: 'caller.goal', message: 'needs a language model' }],
      },
      { ...NONE, name: 'e', status: 'error', findings: [{ path: '', message: 'no agent' }] },
    ];
    expect(junitReport('Rosa', results)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
<testsuite name="Rosa" tests="4" failures="1" errors="1" skipped="1" time="0.000">
<testcase classname="Rosa" name="a &amp; b" time="0.000">
</testcase>
<testcase classname="Rosa" name="c" time="0.000">
<failure message="expect.says.0 the agent never said &quot;&lt;\uFFFD&gt;&quot;">FAILED   c
         expect.says.0: the agent never said &quot;&lt;\uFFFD&gt;&quot;</failure>
</testcase>
<testcase classname="Rosa" name="d" time="0.000">
<skipped message="caller.goal needs a language model"/>
</testcase>
<testcase classname="Rosa" name="e" time="0.000">
<error message="no agent">ERROR    e
         no agent</error>
</testcase>
</testsuite>
</testsuites>
`);
  });
});
