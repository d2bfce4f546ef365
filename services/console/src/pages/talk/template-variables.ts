import type { Schemas } from '../../api/client.ts';

/** A variable of the agent's template. */
export interface TemplateVariable {
  /** Dotted path: `guest.name`. */
  readonly path: string;
  readonly isRequired: boolean;
  /** Whether its value is text. Otherwise it is JSON, according to the agent's schema. */
  readonly isText: boolean;
}

interface ObjectSchema {
  type?: unknown;
  properties?: Record<string, ObjectSchema>;
  required?: readonly string[];
}

/** With more variables, the form shows none. */
const MAX_VARIABLES = 40;

/** Variables of the agent's schema, or else those used in its texts. */
export function templateVariables(template: Schemas['Agent']['callTemplate']): TemplateVariable[] {
  if (template === null) return [];
  const { contextSchema, ...words } = template;
  if (contextSchema) return ofSchema(contextSchema, '', true).slice(0, MAX_VARIABLES);
  const named = JSON.stringify(words).matchAll(/\{\{\s*([A-Za-z_][\w.]*)\s*\}\}/gu);
  const paths = [...new Set([...named].map((match) => match[1] ?? ''))];
  return paths.slice(0, MAX_VARIABLES).map((path) => ({ path, isRequired: true, isText: true }));
}

/** Omits empty texts. Invalid JSON is sent as text, so that the service reports the issue. */
export function templateContext(
  variables: readonly TemplateVariable[],
  values: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  for (const { path, isText } of variables) {
    const text = values[path] ?? '';
    if (text !== '') put(context, path.split('.'), isText ? text : jsonOrText(text));
  }
  return context;
}

function ofSchema(
  { properties, required }: ObjectSchema,
  prefix: string,
  isDue: boolean,
): TemplateVariable[] {
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

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
