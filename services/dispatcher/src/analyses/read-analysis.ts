import {
  ModelAnalysis,
  type AnalysisSettings,
  type CriterionResult,
} from '@calls/api-contract/rest/call-analysis';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';

/** Maximum length of the extracted data as JSON. */
const MAX_DATA_CHARACTERS = 16_384;
const MAX_DATA_DEPTH = 24;
const MAX_REASON_CHARACTERS = 500;
const MAX_PROBLEM_CHARACTERS = 1000;

const validator = compileValidator('answer', ModelAnalysis);

export interface AnalysisResult {
  data: Record<string, unknown> | null;
  /** Results in the order of the criteria. */
  criteria: CriterionResult[];
}

/** The result in the text of a model, or why it cannot be used. */
export async function readAnalysis(
  text: string,
  settings: AnalysisSettings,
  checks: UntrustedChecks,
): Promise<AnalysisResult | { problem: string }> {
  const value = parse(text);
  if (value === undefined) return { problem: 'it is not a JSON object' };
  const issues = validator.issues(value);
  if (issues.length > 0) return problemOf(issues);
  const analysis = value as ModelAnalysis;
  const [data, criteria] = [await dataIn(analysis, settings, checks), criteriaIn(analysis, settings)];
  const found = [...data.issues, ...criteria.issues];
  return found.length > 0 ? problemOf(found) : { data: data.data, criteria: criteria.results };
}

/** Models may put the object into a code block, or write something before or after it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

async function dataIn(
  { data }: ModelAnalysis,
  { dataSchema }: AnalysisSettings,
  checks: UntrustedChecks,
): Promise<{ data: Record<string, unknown> | null; issues: Issue[] }> {
  const path = 'data';
  if (!dataSchema) return { data: null, issues: [] };
  if (!data) return { data: null, issues: [{ path, message: 'is missing' }] };
  if (nestsDeeper(data, MAX_DATA_DEPTH)) {
    const message = `must not be nested more than ${MAX_DATA_DEPTH} levels deep`;
    return { data, issues: [{ path, message }] };
  }
  if (hasInfinity(data)) return { data, issues: [{ path, message: 'has a number that is too large' }] };
  if (JSON.stringify(data).length > MAX_DATA_CHARACTERS) {
    return { data, issues: [{ path, message: `must be at most ${MAX_DATA_CHARACTERS} characters long` }] };
  }
  const [issues = []] = await checks.valueIssues(dataSchema, [data]);
  return { data, issues: issues.map((issue) => ({ ...issue, path: joined(path, issue.path) })) };
}

function criteriaIn(
  { criteria: given = {} }: ModelAnalysis,
  { successCriteria = [] }: AnalysisSettings,
): { results: CriterionResult[]; issues: Issue[] } {
  const results: CriterionResult[] = [];
  const issues: Issue[] = [];
  for (const { name } of successCriteria) {
    const result = Object.hasOwn(given, name) ? given[name] : undefined;
    if (!result) issues.push({ path: joined('criteria', name), message: 'is missing' });
    else
      results.push({
        name,
        outcome: result.outcome,
        reason: shortened(result.reason, MAX_REASON_CHARACTERS),
      });
  }
  return { results, issues };
}

function problemOf(issues: readonly Issue[]): { problem: string } {
  const text = issues.map(({ path, message }) => `${path || 'it'} ${message}`).join('; ');
  return { problem: shortened(text, MAX_PROBLEM_CHARACTERS) };
}

function nestsDeeper(root: object, most: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; depth < most; depth += 1) {
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

/** JSON has no infinity: a number such as 1e999 would be stored as null. */
function hasInfinity(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === Infinity || value === -Infinity;
  return Object.values(value).some(hasInfinity);
}

function joined(path: string, rest: string): string {
  return rest === '' ? path : `${path}.${rest}`;
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
