import { compileValidator, LanguageTag, untrustedSchemaFault, type Fault } from '@calls/api-contract';
import { requestFaults } from '../request-faults.ts';
import { declaresVariable, deriveContextSchema } from './context-schema.ts';
import { parseText, variablesOf } from './template-text.ts';
import { mapTemplatedTexts } from './templated-texts.ts';

type Path = readonly string[];

const MAX_VARIABLES = 300;
const languageTag = compileValidator('language', LanguageTag);

/**
 * What a call template breaks of the rules beyond its schema, as far as the template alone tells. Takes anything: what the
 * schema has to say about, it leaves alone.
 */
export function templateFaults(template: unknown): Fault[] {
  const texts = templatedTexts(template);
  const unparseable = texts.flatMap(({ path, text }) => {
    const parsed = parseText(text);
    return 'fault' in parsed ? [{ path, message: parsed.fault }] : [];
  });
  return [
    ...unparseable,
    ...contextSchemaFaults(template, texts),
    ...variableFaults(texts),
    ...languageFaults(template),
    ...requestFaults(template),
  ];
}

/** With a variable in it, it is checked when it is filled in. */
export function isTemplated(text: string): boolean {
  return text.includes('{{');
}

function languageFaults(template: unknown): Fault[] {
  const hint = isObject(template) ? template['languageHint'] : undefined;
  if (typeof hint !== 'string' || isTemplated(hint)) return [];
  return languageTag.faults(hint).map((fault) => ({ ...fault, path: 'languageHint' }));
}

export interface TemplatedText {
  path: string;
  text: string;
  variables: readonly Path[];
}

/** The texts of a template that may have variables, each with those it has. */
export function templatedTexts(template: unknown): TemplatedText[] {
  const texts: TemplatedText[] = [];
  mapTemplatedTexts(template, (text, path) => {
    texts.push({ path, text, variables: variablesOf(text) });
    return text;
  });
  return texts;
}

function contextSchemaFaults(template: unknown, texts: readonly TemplatedText[]): Fault[] {
  const schema = isObject(template) ? template['contextSchema'] : undefined;
  if (!isObject(schema)) return [];
  const fault = untrustedSchemaFault(schema);
  if (fault !== null) return [{ path: 'contextSchema', message: fault }];
  return texts.flatMap(({ path, variables }) =>
    unique(variables)
      .filter((variable) => !declaresVariable(schema, variable))
      .map((variable) => ({
        path,
        message: `uses {{${variable.join('.')}}}, which contextSchema does not have`,
      })),
  );
}

/** Whatever they are, a schema that can be used must be able to tell them. */
function variableFaults(texts: readonly TemplatedText[]): Fault[] {
  const variables = unique(texts.flatMap((text) => text.variables));
  if (variables.length > MAX_VARIABLES) {
    return [{ path: '', message: `must not use more than ${MAX_VARIABLES} different variables` }];
  }
  const fault = untrustedSchemaFault(deriveContextSchema(variables));
  return fault === null ? [] : [{ path: '', message: `uses variables whose schema ${fault}` }];
}

function unique(variables: readonly Path[]): Path[] {
  return [...new Map(variables.map((path) => [path.join('.'), path])).values()];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
