import { scenarioIssues, type TestScenario } from '@calls/api-contract/rest/test-scenario';
import { isNode, LineCounter, parseAllDocuments, type Document } from 'yaml';

/** A problem of a scenario file. */
export interface FileIssue {
  file: string;
  /** 1-based. */
  line: number;
  /** Dotted path of the field; empty for the file as a whole. */
  path: string;
  message: string;
}

export interface FileScenario {
  file: string;
  scenario: TestScenario;
}

export interface ReadScenarios {
  scenarios: FileScenario[];
  issues: FileIssue[];
}

/** Reads the scenarios of a YAML file: one per document. Never throws. */
export function readScenarios(file: string, text: string): ReadScenarios {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const read: ReadScenarios = { scenarios: [], issues: [] };
  const documents = 'empty' in parsed ? [] : parsed;
  for (const document of documents) {
    if (document.errors.length > 0) {
      for (const { pos, message } of document.errors)
        read.issues.push({
          file,
          line: lines.linePos(pos[0]).line,
          path: '',
          message: `is not YAML: ${message}`,
        });
      continue;
    }
    const lineOf = (path: string): number => lines.linePos(offsetOf(document, path)).line;
    const value = valueOf(document);
    const issues = 'issue' in value ? [{ path: '', message: value.issue }] : scenarioIssues(value.scenario);
    for (const issue of issues) read.issues.push({ file, line: lineOf(issue.path), ...issue });
    if (issues.length === 0 && 'scenario' in value)
      read.scenarios.push({ file, scenario: value.scenario as TestScenario });
  }
  if (documents.length === 0) read.issues.push({ file, line: 1, path: '', message: 'has no scenario' });
  return read;
}

/** `scenarios/order.yaml:12: caller.script.0.say must be a string` */
export function fileIssueText({ file, line, path, message }: FileIssue): string {
  return `${file}:${line}: ${path === '' ? '' : `${path} `}${message}`;
}

/** Issues of names that several scenarios have. */
export function duplicateIssues(scenarios: readonly FileScenario[]): FileIssue[] {
  const first = new Map<string, string>();
  return scenarios.flatMap(({ file, scenario: { name } }) => {
    const earlier = first.get(name);
    first.set(name, earlier ?? file);
    return earlier === undefined
      ? []
      : [{ file, line: 1, path: 'name', message: `"${name}" is also the name of a scenario in ${earlier}` }];
  });
}

/** Rejects aliases that expand to more than YAML's default limit. */
function valueOf(document: Document): { scenario: unknown } | { issue: string } {
  try {
    return { scenario: document.toJS() };
  } catch (thrown) {
    return { issue: thrown instanceof Error ? thrown.message : 'cannot be read' };
  }
}

/** Offset of the field, or of the innermost part of its path that exists. */
function offsetOf(document: Document, path: string): number {
  const keys = path === '' ? [] : path.split('.');
  for (let length = keys.length; length > 0; length -= 1) {
    const node = document.getIn(keys.slice(0, length).map(keyOf), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

/** Items of lists are found by number. */
function keyOf(key: string): string | number {
  return /^\d+$/u.test(key) ? Number(key) : key;
}
