import { jsonOrText, valueText } from '../../components/json-text.ts';
import type { Template } from '../agents/template.ts';
import type { Variable } from '../../components/variable-fields.tsx';

interface ObjectSchema {
  type?: unknown;
  examples?: unknown;
  default?: unknown;
  properties?: Record<string, ObjectSchema>;
  required?: readonly string[];
}

/** With more variables, the form shows none. */
const MAX_VARIABLES = 40;

/** Variables of the agent's schema, or else those used in its texts. */
export function templateVariables(template: Template | null): Variable[] {
  if (template === null) return [];
  const { contextSchema, ...words } = template;
  if (contextSchema) return ofSchema(contextSchema, '', true).slice(0, MAX_VARIABLES);
  const named = JSON.stringify(words).matchAll(/\{\{\s*([A-Za-z_][\w.]*)\s*\}\}/gu);
  const paths = [...new Set([...named].map((match) => match[1] ?? ''))];
  return paths.slice(0, MAX_VARIABLES).map((path) => ({ path, isRequired: true, isText: true }));
}

/** Omits empty texts. Invalid JSON is sent as text, so that the service reports the issue. */
export function templateContext(
  variables: readonly Variable[],
  values: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  for (const { path, isText } of variables) {
    const text = values[path] ?? '';
    if (text !== '') put(context, path.split('.'), isText ? text : jsonOrText(text));
  }
  return context;
}

function ofSchema({ properties, required }: ObjectSchema, prefix: string, isDue: boolean): Variable[] {
  return Object.entries(properties ?? {}).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const isRequired = isDue && (required?.includes(name) ?? false);
    if (schema.properties) return ofSchema(schema, `${path}.`, isRequired);
    const isText = schema.type === undefined || schema.type === 'string';
    const example = valueText(Array.isArray(schema.examples) ? schema.examples[0] : schema.default);
    return [{ path, isRequired, isText, ...(example !== '' && { example }) }];
  });
}

function put(into: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[first] = value;
    return;
  }
  const inner = into[first];
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  into[first] = next;
  put(next, rest, value);
}
