import type { Schemas } from '../../api/client.ts';

/** A value that calls of an agent are to be given. */
export interface TemplateVariable {
  /** Dotted: `guest.name`. */
  readonly path: string;
  readonly isRequired: boolean;
  /** What it is: text, unless the agent's schema says otherwise; then JSON. */
  readonly isText: boolean;
}

interface ObjectSchema {
  type?: unknown;
  properties?: Record<string, ObjectSchema>;
  required?: readonly string[];
}

/** More variables are too many to fill in by hand. */
const MAX_VARIABLES = 40;

/** As the agent's schema of them says, or else those that its words name. */
export function templateVariables(template: Schemas['Agent']['callTemplate']): TemplateVariable[] {
  if (template === null) return [];
  const { contextSchema, ...words } = template;
  if (contextSchema) return ofSchema(contextSchema, '', true).slice(0, MAX_VARIABLES);
  const named = JSON.stringify(words).matchAll(/\{\{\s*([A-Za-z_][\w.]*)\s*\}\}/gu);
  const paths = [...new Set([...named].map((match) => match[1] ?? ''))];
  return paths.slice(0, MAX_VARIABLES).map((path) => ({ path, isRequired: true, isText: true }));
}

/** Empty texts are left out; what isn't JSON where JSON is due goes as the text that it is, for the service to judge. */
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
