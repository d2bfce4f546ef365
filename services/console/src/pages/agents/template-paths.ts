import type { Schemas } from '../../api/client.ts';

/** The API's type. The form, the JSON view and the request share this value. */
export type Template = Schemas['CallTemplateRequest'];

type Json = Record<string, unknown> | unknown[];

/** The value at a dotted path, `inactivityMessages.0.duration`; undefined if missing. */
export function valueAt(template: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value: unknown, key) => (isJson(value) ? childOf(value, key) : undefined), template);
}

/** A copy with the value at the path; undefined removes the field. Creates missing parents. */
export function withValueAt(template: Template, path: string, value: unknown): Template {
  return changed(template, path.split('.'), value) as Template;
}

function changed(at: unknown, [key = '', ...rest]: readonly string[], value: unknown): Json {
  const base = isJson(at) ? at : {};
  const next = rest.length === 0 ? value : changed(childOf(base, key), rest, value);
  if (Array.isArray(base)) {
    return next === undefined
      ? base.filter((_, index) => index !== Number(key))
      : Object.assign([...base], { [key]: next });
  }
  if (next !== undefined) return { ...base, [key]: next };
  return Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));
}

function childOf(value: Json, key: string): unknown {
  return Array.isArray(value) ? value[Number(key)] : value[key];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

/** The distinct variables of a text, in order: `{{user.name}}`. */
export function variablesOf(text: string): string[] {
  const found = [...text.matchAll(/\{\{\{?&?\s*([\w.-]+)\s*\}?\}\}/gu)].map(([, name]) => name ?? '');
  return [...new Set(found)];
}

const READ_ONLY = new Set(['created', 'updated']);

/** A template that can be sent again: without its timestamps. */
export function editable(template: Schemas['CallTemplate'] | null): Template {
  return Object.fromEntries(Object.entries(template ?? {}).filter(([name]) => !READ_ONLY.has(name)));
}
