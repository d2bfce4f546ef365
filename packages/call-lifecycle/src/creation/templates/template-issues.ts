import { LanguageTag } from '@calls/api-contract/rest/call-settings';
import { isJsonObject } from '@calls/foundation/json-object';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { requestIssues } from '../request-issues.ts';
import { declaresVariable, deriveContextSchema } from './context-schema.ts';
import { countTags, mapTemplatedTexts, parseText, variablesOf } from './template-text.ts';

type Path = readonly string[];

const MAX_VARIABLES = 300;
/** Limit on the uses of variables. */
const MAX_TAGS = 5000;
const languageTag = compileValidator('language', LanguageTag);

/**
 * Issues of a call template that the schema does not find, as far as they depend on the template alone. Accepts any value; schema
 * violations are not reported.
 */
export async function templateIssues(template: unknown, checks: UntrustedChecks): Promise<Issue[]> {
  if (hasTooManyTags(template)) {
    return [{ path: '', message: `must not use variables more than ${MAX_TAGS} times` }];
  }
  const texts = templatedTexts(template);
  const unparseable = texts.flatMap(({ path, text }) => {
    const parsed = parseText(text);
    return 'issue' in parsed ? [{ path, message: parsed.issue }] : [];
  });
  return [
    ...unparseable,
    ...(await contextSchemaIssues(template, texts, checks)),
    ...(await variableIssues(texts, checks)),
    ...languageIssues(template),
    ...requestIssues(template),
  ];
}

/** Texts with variables are checked when they are rendered. */
export function isTemplated(text: string): boolean {
  return text.includes('{{');
}

function languageIssues(template: unknown): Issue[] {
  const hint = isJsonObject(template) ? template['languageHint'] : undefined;
  if (typeof hint !== 'string' || isTemplated(hint)) return [];
  return languageTag.issues(hint).map((issue) => ({ ...issue, path: 'languageHint' }));
}

export interface TemplatedText {
  path: string;
  text: string;
  variables: readonly Path[];
}

/** The texts of a template that can contain variables, each with its variables. */
export function templatedTexts(template: unknown): TemplatedText[] {
  const texts: TemplatedText[] = [];
  mapTemplatedTexts(template, (text, path) => {
    texts.push({ path, text, variables: variablesOf(text) });
    return text;
  });
  return texts;
}

function hasTooManyTags(template: unknown): boolean {
  let left = MAX_TAGS;
  mapTemplatedTexts(template, (text) => {
    if (left >= 0) left -= countTags(text, left + 1);
    return text;
  });
  return left < 0;
}

async function contextSchemaIssues(
  template: unknown,
  texts: readonly TemplatedText[],
  checks: UntrustedChecks,
): Promise<Issue[]> {
  const schema = isJsonObject(template) ? template['contextSchema'] : undefined;
  if (!isJsonObject(schema)) return [];
  const [issue = null] = await checks.schemaIssues([schema]);
  if (issue !== null) return [{ path: 'contextSchema', message: issue }];
  return texts.flatMap(({ path, variables }) =>
    unique(variables)
      .filter((variable) => !declaresVariable(schema, variable))
      .map((variable) => ({
        path,
        message: `uses {{${variable.join('.')}}}, which contextSchema does not declare`,
      })),
  );
}

/** The variables must be expressible in a usable schema. */
async function variableIssues(texts: readonly TemplatedText[], checks: UntrustedChecks): Promise<Issue[]> {
  const variables = unique(texts.flatMap((text) => text.variables));
  if (variables.length > MAX_VARIABLES) {
    return [{ path: '', message: `must not use more than ${MAX_VARIABLES} different variables` }];
  }
  if (variables.length === 0) return [];
  const [issue = null] = await checks.schemaIssues([deriveContextSchema(variables)]);
  return issue === null ? [] : [{ path: '', message: `uses variables whose schema ${issue}` }];
}

function unique(variables: readonly Path[]): Path[] {
  return [...new Map(variables.map((path) => [path.join('.'), path])).values()];
}
