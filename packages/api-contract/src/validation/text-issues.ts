import type { Issue } from '@calls/foundation/schema/validator';

/** Maximum nesting depth of JSON. */
const MAX_DEPTH = 32;
const MAX_ISSUES = 20;

/** Whether JSON is nested too deeply for recursive functions. */
export function isTooDeep(value: unknown, levelsLeft = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levelsLeft === 0 || Object.values(value).some((each) => isTooDeep(each, levelsLeft - 1));
}

/**
 * Issues of texts that databases and TTS engines reject, anywhere in a body: NUL characters and unpaired surrogates;
 * and of excessive nesting.
 */
export function textIssues(body: unknown): Issue[] {
  const issues: Issue[] = [];
  const path: string[] = [];
  const report = (message: string): void => void issues.push({ path: path.join('.'), message });
  const check = (text: string): void => {
    if (text.includes('\0')) report('must not contain the NUL character');
    else if (!text.isWellFormed()) report('must be well-formed Unicode');
  };
  const visit = (value: unknown): void => {
    if (typeof value === 'string') check(value);
    if (typeof value !== 'object' || value === null) return;
    if (path.length === MAX_DEPTH) {
      report(`must not be nested more than ${MAX_DEPTH} levels deep`);
      return;
    }
    for (const key of Object.keys(value)) {
      if (issues.length >= MAX_ISSUES) return;
      path.push(key);
      check(key);
      visit((value as Record<string, unknown>)[key]);
      path.pop();
    }
  };
  visit(body);
  return issues;
}
