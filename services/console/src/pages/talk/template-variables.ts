import type { Schemas } from '../../api/client.ts';
import { jsonOrText } from '../../components/json-text.ts';
import type { Variable } from '../../components/variable-fields.tsx';

interface ObjectSchema {
  type?: unknown;
  properties?: Record<string, ObjectSchema>;
  required?: readonly string[];
}

/** With more variables, the form shows none. */
const MAX_VARIABLES = 40;

/** Variables of the agent's schema, or else those used in its texts. */
export function templateVariables(template: Schemas['Agent']['callTemplate']): Variable[] {
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
    return schema.properties
      ? ofSchema(schema, `${path}.`, isRequired)
      : [{ path, isRequired, isText: schema.type === undefined || schema.type === 'string' }];
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
