import { describe, expect, it } from '@jest/globals';
import { duplicateIssues, fileIssueText, readScenarios } from './read-scenarios.ts';

const issuesOf = (text: string): string[] => readScenarios('a.yaml', text).issues.map(fileIssueText);

describe('readScenarios', () => {
  it('reads one scenario per document', () => {
    const text =
      'name: one\ncaller: {script: [{say: Hello.}]}\n---\nname: two\ncaller: {goal: Book a table.}\n';
    expect(readScenarios('a.yaml', text)).toEqual({
      scenarios: [
        { file: 'a.yaml', scenario: { name: 'one', caller: { script: [{ say: 'Hello.' }] } } },
        { file: 'a.yaml', scenario: { name: 'two', caller: { goal: 'Book a table.' } } },
      ],
      issues: [],
    });
  });

  it.each([
    [
      'name: one\ncaller:\n  script:\n    - say: Hello.\n    - sai: Bye.\n',
      'a.yaml:5: caller.script.1.sai is not a known field; did you mean say?',
    ],
    ['name: one\n', 'a.yaml:1: caller is required'],
    ['name: one\n\ncaller: {}\n', 'a.yaml:3: caller must have exactly one of script and goal'],
    ['name: one\ncaller:\n  script: []\n  persona: A guest.\n', 'a.yaml:4: caller.persona needs goal'],
    [
      'name: one\ncaller: {script: [{silence: 700s}]}',
      'a.yaml:2: caller.script.0.silence must be from 0s to 600s',
    ],
    [
      'name: one\ncaller: {script: []}\nexpect:\n  endReason: gone\n',
      'a.yaml:4: expect.endReason must be one of',
    ],
    ['name: [one\n', 'a.yaml:2: is not YAML'],
    ['', 'a.yaml:1: has no scenario'],
  ])('reports the field and line of the error in %j', (text, issue) => {
    expect(issuesOf(text)[0]).toMatch(new RegExp(`^${issue.replaceAll(/[.?]/gu, String.raw`\$&`)}`, 'u'));
  });

  it('reports duplicate scenario names', () => {
    const { scenarios } = readScenarios(
      'a.yaml',
      'name: one\ncaller: {script: []}\n---\nname: one\ncaller: {script: []}\n',
    );
    expect(duplicateIssues(scenarios).map(fileIssueText)).toEqual([
      'a.yaml:1: name "one" is also the name of a scenario in a.yaml',
    ]);
  });
});
